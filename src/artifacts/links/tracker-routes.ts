/** What the links say of a tracker as a whole: routes of a file of their own, beside those of one artifact's links. */
import { type Viewer } from '../../authorization/viewer.js';
import { type StartKey } from '../../core/read-models.js';
import { goneOf } from '../../http/gone.js';
import { listOf } from '../../http/openapi/response-schema.js';
import { listPage } from '../../http/pages/list-page.js';
import { setPage, type PageQuery } from '../../http/pages/pagination.js';
import { route, type Route } from '../../http/route.js';
import { jsonList, sendBegun } from '../../http/send-json.js';
import { idParam, type IdParams } from '../../http/validate.js';
import { visibleTracker } from '../../trackers/queries.js';
import { TAG as TRACKERS } from '../../trackers/schemas.js';
import { type ArtifactPorts } from '../ports.js';
import { artifactTexts, beginPage } from '../representation/artifact-pages.js';
import { responseCache } from '../representation/answers/response-cache.js';
import * as schemas from './schemas.js';
import { parentIds, parentJson, usedLinkTypes } from './tracker-links.js';

export const trackerLinkRoutes = (ports: ArtifactPorts): readonly Route<Viewer>[] => [usedTypes(ports), parents(ports)];

const usedTypes = (ports: ArtifactPorts): Route<Viewer> =>
  route<Viewer, IdParams, PageQuery>({
    method: 'GET',
    path: '/trackers/:id/used_artifact_links',
    access: 'hybrid',
    tag: TRACKERS,
    summary: 'List the link types that a tracker uses.',
    description: 'The types of the links from artifacts of the tracker, as far as the reader may see the links.',
    params: idParam('tracker'),
    query: schemas.ofTrackerQuery,
    responses: { 200: { description: 'A page of types', schema: listOf(schemas.usedTypeSchema) } },
    async handle({ ctx, params, query: { limit, offset }, viewer }) {
      const tracker = visibleTracker(ports.definitions, viewer, params.id);
      const types = await usedLinkTypes(tracker, { ...ports, viewer, gone: goneOf(ctx) });
      setPage(ctx, { limit, offset, total: types.length, max: schemas.OF_TRACKER_MAX });
      ctx.body = types.slice(offset, offset + limit);
    },
  });

function parents(ports: ArtifactPorts): Route<Viewer> {
  const remembered = responseCache<{ readonly total: number; readonly last: StartKey | null }>('parents', ports);
  return route<Viewer, IdParams, PageQuery>({
    method: 'GET',
    path: '/trackers/:id/parent_artifacts',
    access: 'hybrid',
    tag: TRACKERS,
    summary: 'List the parents of the artifacts of a tracker.',
    description:
      'The open artifacts of all trackers that have an artifact of this one as their child, the newest first.',
    params: idParam('tracker'),
    query: schemas.ofTrackerQuery,
    responses: { 200: { description: 'A page of parents', schema: listOf(schemas.parentSchema) } },
    async handle({ ctx, params, query, viewer }) {
      const reading = { ...ports, viewer, gone: goneOf(ctx) };
      const tracker = visibleTracker(ports.definitions, viewer, params.id);
      const { facts, stillHolds, ...begun } = await remembered(
        JSON.stringify([tracker.id, query]),
        reading,
        async () => {
          const { facts, begun } = await beginPage(async () => {
            const { items: rest, ...facts } = listPage(await parentIds(tracker, reading), query, (id) => -id);
            const { readModels, viewer } = reading;
            const texts = artifactTexts({ items: [], rest }, { readModels, viewer }, parentJson(reading));
            return { facts, texts: jsonList(texts) };
          });
          return { ...begun, facts };
        },
      );
      ctx.state.stillHolds = stillHolds;
      setPage(ctx, { ...query, ...facts, max: schemas.OF_TRACKER_MAX });
      sendBegun(ctx, begun);
    },
  });
}
