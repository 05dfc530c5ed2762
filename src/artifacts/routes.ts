import { Problem } from '../core/problem.js';
import { type Viewer } from '../authorization/viewer.js';
import { precondition, setValidators, VALIDATORS } from '../http/etag.js';
import { goneOf } from '../http/gone.js';
import { LOCATION, setLocation } from '../http/location.js';
import { listOf } from '../http/openapi/response-schema.js';
import { setPage } from '../http/pages/pagination.js';
import { route, type Route } from '../http/route.js';
import { collection, jsonList, sendBegun, sendTexts } from '../http/send-json.js';
import { idParam, type IdParams } from '../http/validate.js';
import { trackerReference } from '../trackers/representation.js';
import { artifactRoute } from './artifact-route.js';
import { changeArtifact, type SubmittedValues } from './commands.js';
import { artifactTexts, beginPage, withoutLong } from './representation/artifact-pages.js';
import { historyRoutes } from './history/routes.js';
import { idempotencyKey, submitOnce } from './idempotency/commands.js';
import { linkRoutes } from './links/routes.js';
import { trackerLinkRoutes } from './links/tracker-routes.js';
import { type ArtifactPorts } from './ports.js';
import { changesetPage } from './queries.js';
import { wholeJson } from './representation/artifact-json-cache.js';
import { changesetSchema, collectionSchema, createdSchema } from './representation/schemas.js';
import { askedPage } from './search/asked-page.js';
import * as schemas from './schemas.js';
import { searchRoutes } from './search/routes.js';
import { readingOwnWrites } from './unshown-writes.js';
import { byItsId, byPathId } from '../http/openapi/links.js';

export const artifactRoutes = (ports: ArtifactPorts): readonly Route<Viewer>[] => [
  ...[submit(ports), change(ports)].map((route) => counted(route, ports)),
  many(ports),
  ...searchRoutes(ports),
  ...trackerLinkRoutes(ports),
  ...readingOwnWrites([artifactRoute(ports), changesets(ports), ...linkRoutes(ports), ...historyRoutes(ports)], ports),
];

const counted = (route: Route<Viewer>, { early }: ArtifactPorts): Route<Viewer> =>
  early === undefined ? route : { ...route, handle: (request) => early.writing(async () => route.handle(request)) };

const submit = (ports: ArtifactPorts): Route<Viewer> =>
  route<Viewer, object, object, schemas.SubmitBody>({
    method: 'POST',
    path: '/artifacts',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Create an artifact.',
    description:
      'The body has exactly one of `values`, `values_by_field` and `from_artifact`. An empty member counts as left out. Fields that the body does not name get their defaults.',
    headers: {
      'Idempotency-Key': {
        description:
          'A name for the request, of the user. For 24 hours, a request with the same key and body gets the first answer.',
        required: false,
        schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
      },
    },
    body: schemas.submitBody,
    responses: {
      201: {
        description: 'A reference to the artifact',
        schema: createdSchema,
        headers: { ...LOCATION, ...VALIDATORS },
        links: byItsId('getArtifactsId', 'putArtifactsId', 'deleteArtifactsId', 'getArtifactsIdHistory'),
      },
    },
    errors: {
      404: 'The tracker does not exist, or the user may not see it.',
      409: 'The key was used with another body in the last 24 hours.',
    },
    async handle({ ctx, body, viewer }) {
      const key = idempotencyKey(ctx.req.headers['idempotency-key']?.toString());
      const submission = { trackerId: Number(body.tracker.id), written: writtenValues(body) };
      const caller = { viewer, requestId: ctx.state.requestId };
      const { artifactId, tracker, ...validators } = await submitOnce(submission, { key, body }, ports, caller);
      const uri = `artifacts/${artifactId}`;
      const byField = 'valuesByField' in submission.written;
      ctx.status = 201;
      setLocation(ctx, uri);
      setValidators(ctx, validators);
      ctx.body = {
        id: artifactId,
        uri: byField ? `${uri}?values_format=by_field` : uri,
        tracker: trackerReference(tracker, ports.definitions),
      };
    },
  });

/** Members that are empty count as left out. */
function writtenValues({ values, values_by_field: valuesByField, from_artifact: from }: schemas.SubmitBody) {
  const given: SubmittedValues[] = [];
  if (values && values.length > 0) given.push({ values });
  if (valuesByField && Object.keys(valuesByField).length > 0) given.push({ valuesByField });
  if (from) given.push({ fromArtifact: Number(from.id) });
  const [only, another] = given;
  if (another !== undefined) {
    throw new Problem('invalid', 'Give exactly one of "values", "values_by_field" and "from_artifact"');
  }
  if (only === undefined) {
    throw new Problem(
      'invalid',
      'There is no value; name a field in "values" or "values_by_field", or an artifact in "from_artifact"',
    );
  }
  return only;
}

const change = (ports: ArtifactPorts): Route<Viewer> =>
  route<Viewer, IdParams, object, schemas.ChangeBody>({
    method: 'PUT',
    path: '/artifacts/:id',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Change an artifact.',
    description:
      'The fields of `values` change, the others stay. If no value changes and there is no comment, the Etag stays. A request without a condition overwrites.',
    params: idParam('artifact'),
    headers: schemas.CONDITIONS,
    body: schemas.changeBody,
    shapeFirst: true,
    responses: {
      200: {
        description: 'The artifact has these values. There is no body.',
        schema: null,
        headers: VALIDATORS,
        links: byPathId('getArtifactsId', 'getArtifactsIdChangesets'),
      },
    },
    errors: { 412: 'A condition of the headers is false, as when the artifact has changed since the client read it.' },
    async handle({ ctx, params, body, viewer }) {
      const wanted = {
        artifactId: params.id,
        written: { values: body.values },
        comment: body.comment,
        precondition: precondition(ctx),
      };
      setValidators(ctx, await changeArtifact(wanted, ports, { viewer, requestId: ctx.state.requestId }));
    },
  });

const many = (ports: ArtifactPorts): Route<Viewer> =>
  route<Viewer, object, schemas.ManyQuery>({
    method: 'GET',
    path: '/artifacts',
    access: 'hybrid',
    tag: schemas.TAG,
    summary: 'List artifacts by id, or by the time of their last change.',
    description:
      'With `query`, the artifacts with these ids that the reader may see. With `modified_since` or `created_since`, the artifacts of all trackers, by tracker and id. One of the two ways is required.',
    query: schemas.manyQuery,
    responses: { 200: { description: 'A page of artifacts', schema: collectionSchema } },
    async handle({ ctx, query, viewer }) {
      const reading = { ...ports, viewer, gone: goneOf(ctx) };
      const { limit, offset } = query;
      const asked = askedPage(query, reading);
      const { facts, begun } = await beginPage(async () => {
        const page = withoutLong(await asked());
        const { total, last } = page;
        return { facts: { total, last }, texts: collection(artifactTexts(page, reading, wholeJson(reading))) };
      });
      setPage(ctx, { limit, offset, ...facts, max: schemas.MANY_MAX });
      sendBegun(ctx, begun);
    },
  });

const changesets = (ports: ArtifactPorts): Route<Viewer> =>
  route<Viewer, IdParams, schemas.ChangesetsQuery>({
    method: 'GET',
    path: '/artifacts/:id/changesets',
    access: 'hybrid',
    tag: schemas.TAG,
    summary: 'List the changesets of an artifact.',
    description:
      'A changeset has its comment, and all values after the change. As in a past state of the artifact, `reverse_links` is empty, the sum of a `computed` field is null, and links to artifacts that were deleted since are left out.',
    params: idParam('artifact'),
    query: schemas.changesetsQuery,
    responses: { 200: { description: 'A page of changesets', schema: listOf(changesetSchema) } },
    async handle({ ctx, params, query, viewer }) {
      const { texts, total } = await changesetPage(params.id, query, { ...ports, viewer, gone: goneOf(ctx) });
      setPage(ctx, { limit: query.limit, offset: query.offset, total, max: schemas.CHANGESETS_MAX });
      await sendTexts(ctx, jsonList(texts));
    },
  });
