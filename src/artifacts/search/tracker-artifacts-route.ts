/** The artifacts of a tracker, filtered: a route of its own file because its filter comes in two ways. */
import { Problem } from '../../core/problem.js';
import { type Viewer } from '../../authorization/viewer.js';
import { goneOf } from '../../http/gone.js';
import { jsonParameter } from '../../http/json-parameter.js';
import { setPage } from '../../http/pages/pagination.js';
import { listOf } from '../../http/openapi/response-schema.js';
import { route, type Route } from '../../http/route.js';
import { sendBegun } from '../../http/send-json.js';
import { idParam, type IdParams } from '../../http/validate.js';
import { visibleTracker } from '../../trackers/queries.js';
import { TAG as TRACKERS } from '../../trackers/schemas.js';
import { type ArtifactPorts } from '../ports.js';
import { type ArtifactSearch } from '../queries.js';
import { artifactSchema } from '../representation/schemas.js';
import * as schemas from './schemas.js';
import { expertAt, type SearchedPages } from './searched-pages.js';
import { byFirstId } from '../../http/openapi/links.js';

export function trackerArtifactsRoute(ports: ArtifactPorts, pageOf: SearchedPages): Route<Viewer> {
  return route<Viewer, IdParams, schemas.TrackerPageQuery, schemas.FilterBody>({
    method: 'GET',
    path: '/trackers/:id/artifacts',
    access: 'hybrid',
    tag: TRACKERS,
    summary: 'List the artifacts of a tracker.',
    description:
      'A filter is the body or `query`; both together are an error. An expert query takes the place of a filter. Artifacts come by id, unless `sort` names fields.',
    params: idParam('tracker'),
    query: schemas.trackerPageQuery,
    body: schemas.filterBody,
    responses: {
      200: {
        description: 'A page of artifacts',
        schema: listOf(artifactSchema),
        links: byFirstId('getArtifactsId', 'getArtifactsIdLinks'),
      },
    },
    async handle({ ctx, params, query, body, viewer }) {
      const reading = { ...ports, viewer, gone: goneOf(ctx) };
      const tracker = () => visibleTracker(ports.definitions, viewer, params.id);
      const { limit, offset, after, sort, order, modified_since, created_since } = query;
      const since = { modified_since, created_since };
      const asked = askedOf(query, body, ports.clock());
      // `order` has no effect on an expert query, as in Tuleap.
      const direction = asked.expert === undefined ? order : 'asc';
      const search = { ...asked, sort, since, limit, offset, direction, ...(after && { after }) };
      const { facts, stillHolds, ...begun } = await pageOf(tracker, search, query.values, reading);
      ctx.state.stillHolds = stillHolds;
      setPage(ctx, { limit, offset, ...facts, max: schemas.TRACKER_PAGE_MAX });
      sendBegun(ctx, begun);
    },
  });
}

function askedOf(
  query: schemas.TrackerPageQuery,
  body: schemas.FilterBody,
  now: Date,
): Pick<ArtifactSearch, 'filter' | 'expert'> {
  const filter = filterOf(query, body);
  const text = query.expert_query ?? '';
  // Tuleap takes both for no query.
  if (text === '' || text === '0') return { filter };
  if (isEmpty(filter)) return { filter: undefined, expert: expertAt(text, now) };
  throw new Problem('invalid', 'The filter is given twice: as expert_query and as a filter', {
    details: [{ pointer: 'expert_query', message: 'is given beside a filter' }],
  });
}

const isEmpty = (filter: unknown): boolean =>
  filter === undefined || filter === null || (typeof filter === 'object' && Object.keys(filter).length === 0);

function filterOf({ query }: schemas.TrackerPageQuery, body: schemas.FilterBody): unknown {
  const parameter = jsonParameter('query', query);
  if (Object.keys(body).length === 0) return parameter;
  if (isEmpty(parameter)) return body;
  throw new Problem('invalid', 'The filter is given twice: in the body and as query', {
    details: [{ pointer: 'query', message: 'is given beside a filter in the body' }],
  });
}
