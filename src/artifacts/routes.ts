import { Problem } from '../core/problem.js';
import { type Viewer } from '../authorization/viewer.js';
import { precondition, setValidators, VALIDATORS } from '../http/etag.js';
import { goneOf } from '../http/gone.js';
import { setLocation } from '../http/location.js';
import { setPage } from '../http/pages/pagination.js';
import { route, type Route } from '../http/route.js';
import { collection, jsonList, sendBegun, sendTexts } from '../http/send-json.js';
import { idParam } from '../http/validate.js';
import { trackerReference } from '../trackers/representation.js';
import { artifactRoute } from './artifact-route.js';
import { changeArtifact, type SubmittedValues } from './commands.js';
import { artifactTexts, beginPage } from './representation/artifact-pages.js';
import { historyRoutes } from './history/routes.js';
import { idempotencyKey, submitOnce } from './idempotency/commands.js';
import { linkRoutes } from './links/routes.js';
import { trackerLinkRoutes } from './links/tracker-routes.js';
import { type ArtifactPorts } from './ports.js';
import { changesetPage, wholeJson } from './queries.js';
import { askedPage } from './search/asked-page.js';
import * as schemas from './schemas.js';
import { searchRoutes } from './search/routes.js';
import { readingOwnWrites } from './unshown-writes.js';

interface Id {
  readonly id: number;
}

export const artifactRoutes = (ports: ArtifactPorts): readonly Route<Viewer>[] => [
  submit(ports),
  change(ports),
  many(ports),
  ...searchRoutes(ports),
  ...trackerLinkRoutes(ports),
  ...readingOwnWrites([artifactRoute(ports), changesets(ports), ...linkRoutes(ports), ...historyRoutes(ports)], ports),
];

const submit = (ports: ArtifactPorts): Route<Viewer> =>
  route<Viewer, object, object, schemas.SubmitBody>({
    method: 'POST',
    path: '/artifacts',
    access: 'protected',
    summary:
      'Creates an artifact from `values`, `values_by_field` or the title of another one (`from_artifact`). With an Idempotency-Key, at most once in 24 hours.',
    headers: { 'Idempotency-Key': 'A request with the same key and body is answered as the first was, for 24 hours' },
    body: schemas.submitBody,
    responses: {
      201: { description: 'A reference to the artifact', headers: { Location: 'Where it is', ...VALIDATORS } },
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
  if (only === undefined || another !== undefined) {
    throw new Problem('invalid', 'Give exactly one of "values", "values_by_field" and "from_artifact"');
  }
  return only;
}

const change = (ports: ArtifactPorts): Route<Viewer> =>
  route<Viewer, Id, object, schemas.ChangeBody>({
    method: 'PUT',
    path: '/artifacts/:id',
    access: 'protected',
    summary: 'Changes the fields that are named, under If-Match or If-Unmodified-Since when one is sent; may comment.',
    params: idParam(),
    headers: {
      'If-Match': 'An Etag: 412 when the artifact has changed since',
      'If-Unmodified-Since': 'A Last-Modified: 412 when the artifact was modified at another second',
    },
    body: schemas.changeBody,
    shapeFirst: true,
    responses: { 200: { description: 'Changed, or nothing to change', headers: VALIDATORS } },
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
    summary:
      'The artifacts with the ids of `query`, those left out that do not exist or are not visible; or, by tracker and id, all that the reader sees and that were modified or created since an instant. Takes one or the other.',
    query: schemas.manyQuery,
    responses: { 200: { description: 'A page, in `collection`' } },
    async handle({ ctx, query, viewer }) {
      const reading = { ...ports, viewer, gone: goneOf(ctx) };
      const { limit, offset } = query;
      const asked = askedPage(query, reading);
      const { facts, begun } = await beginPage(async () => {
        const page = await asked();
        const { total, last } = page;
        return { facts: { total, last }, texts: collection(artifactTexts(page, reading, wholeJson(reading))) };
      });
      setPage(ctx, { limit, offset, ...facts, max: schemas.MANY_MAX });
      sendBegun(ctx, begun);
    },
  });

const changesets = (ports: ArtifactPorts): Route<Viewer> =>
  route<Viewer, Id, schemas.ChangesetsQuery>({
    method: 'GET',
    path: '/artifacts/:id/changesets',
    access: 'hybrid',
    summary: 'The changes of an artifact, each with its comment and all values after it.',
    params: idParam(),
    query: schemas.changesetsQuery,
    responses: { 200: { description: 'A page of changesets' } },
    async handle({ ctx, params, query, viewer }) {
      const { texts, total } = await changesetPage(params.id, query, { ...ports, viewer, gone: goneOf(ctx) });
      setPage(ctx, { limit: query.limit, offset: query.offset, total, max: schemas.CHANGESETS_MAX });
      await sendTexts(ctx, jsonList(texts));
    },
  });
