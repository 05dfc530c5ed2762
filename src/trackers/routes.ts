import { invalidAt } from '../core/problem.js';
import { type BareRoute } from '../http/bare-routes.js';
import { sendTagged, TEXT_TAGS } from '../http/etag.js';
import { goneOf } from '../http/gone.js';
import { jsonObjectParameter } from '../http/json-parameter.js';
import { setPage, type PageQuery } from '../http/pages/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { jsonList, sendTexts } from '../http/send-json.js';
import { madeOf } from '../http/state.js';
import { idParam, type IdParams } from '../http/validate.js';
import { visibleProject } from '../projects/queries.js';
import { type CompiledTracker } from './compiled-tracker.js';
import { openListValues } from './list-representation.js';
import { projectTrackers, readableOpenList, visibleTracker } from './queries.js';
import { minimalTrackers, trackerTexts, wholeTrackers } from './representation.js';
import * as schemas from './schemas.js';
import { titleAloneFaults } from './submission.js';
import { type TrackerDefinitions } from './tracker-definitions.js';
import { type TrackerRights } from './tracker-rights.js';
import { byFirstId } from '../http/openapi/links.js';

interface Ports {
  readonly definitions: TrackerDefinitions;
}

/** Trackers are listed by project. Clients ask here for the methods all the same. */
export const allTrackers: BareRoute<unknown> = {
  path: '/api{/v1}/trackers',
  access: 'public',
  methods: {},
  described: {},
};

export function trackerRoutes({ definitions }: Ports): readonly Route<TrackerRights>[] {
  return [
    ofProject(definitions),
    route<TrackerRights, IdParams>({
      method: 'GET',
      path: '/trackers/:id',
      access: 'hybrid',
      tag: schemas.TAG,
      summary: 'Get a tracker.',
      description: 'The structure: fields, their values, semantics, workflow, and the permissions of the reader.',
      params: idParam('tracker'),
      headers: TEXT_TAGS.headers,
      responses: { 200: { description: 'The tracker', schema: schemas.trackerSchema, headers: TEXT_TAGS.answer } },
      async handle({ ctx, params, viewer }) {
        madeOf(ctx, definitions);
        const tracker = () => visibleTracker(definitions, viewer, params.id);
        await sendTagged(ctx, trackerTexts(tracker, { definitions, viewer, gone: goneOf(ctx) }));
      },
    }),
    route<TrackerRights, IdParams, PageQuery>({
      method: 'GET',
      path: '/tracker_fields/:id/values',
      access: 'hybrid',
      tag: schemas.TAG,
      summary: 'List the values of a static open list.',
      description: 'The values of the list, then all labels that users added, by number.',
      params: idParam('field'),
      query: schemas.valuesQuery,
      responses: {
        200: { description: 'A page of values, as the tracker shows them', schema: listOf(schemas.listValueSchema) },
      },
      handle({ ctx, params, query: { limit, offset }, viewer }) {
        madeOf(ctx, definitions);
        const values = openListValues(readableOpenList(definitions, viewer, params.id), { definitions });
        setPage(ctx, { limit, offset, total: values.length, max: schemas.VALUES_MAX });
        ctx.body = values.slice(offset, offset + limit);
      },
    }),
  ];
}

const ofProject = (definitions: TrackerDefinitions): Route<TrackerRights> =>
  route<TrackerRights, IdParams, schemas.TrackersQuery>({
    method: 'GET',
    path: '/projects/:id/trackers',
    access: 'hybrid',
    tag: schemas.TAG,
    summary: 'List the trackers of a project.',
    description: 'The trackers that the reader may see, by label.',
    params: idParam('project'),
    query: schemas.trackersQuery,
    responses: {
      200: {
        description: 'A page of trackers',
        schema: listOf({ anyOf: [schemas.trackerSchema, schemas.listedTrackerSchema] }),
        links: byFirstId('getTrackersId', 'getTrackersIdArtifacts', 'getTrackersIdTrackerReports'),
      },
    },
    async handle({ ctx, params, query: { limit, offset, query, representation, ...asked }, viewer }) {
      const { with_creation_semantic_check: check } = asked;
      if (check !== undefined && representation === 'full') {
        throw invalidAt('with_creation_semantic_check', 'needs representation=minimal');
      }
      madeOf(ctx, definitions);
      const project = visibleProject(definitions, viewer, params.id);
      const trackers = projectTrackers(definitions, viewer, project.id, jsonObjectParameter('query', query));
      setPage(ctx, { limit, offset, total: trackers.length, max: schemas.TRACKERS_MAX });
      const page = trackers.slice(offset, offset + limit);
      const reasonsFor = (tracker: CompiledTracker) =>
        check === undefined ? [] : titleAloneFaults(tracker, definitions, viewer);
      const reading = { definitions, viewer, gone: goneOf(ctx) };
      const texts =
        representation === 'full' ? wholeTrackers(page, reading) : jsonList(minimalTrackers(page, reading, reasonsFor));
      await sendTexts(ctx, texts);
    },
  });
