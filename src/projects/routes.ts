import { Problem } from '../core/problem.js';
import { type Directory } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { jsonObjectParameter } from '../http/json-parameter.js';
import { pageQuery, setPage, type PageQuery } from '../http/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { idParam } from '../http/validate.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { minimalTracker, trackerStructure } from '../trackers/representation.js';
import { minimalTrackerSchema, trackerSchema } from '../trackers/schemas.js';
import { searchProjects } from './project-search.js';
import { projectRepresentation } from './representation.js';
import { projectSchema } from './schemas.js';
import { visibleProject } from './visible-project.js';

const PAGE = 10;
const MAX_PAGE = 50;

interface Id {
  readonly id: number;
}

interface SearchQuery extends PageQuery {
  readonly query?: string;
}

interface TrackersQuery extends SearchQuery {
  readonly representation: 'full' | 'minimal';
}

const searchQuery = pageQuery(PAGE, MAX_PAGE, {
  query: {
    type: 'string',
    description: '{"shortname": "…"}, {"is_member_of": true}, {"is_admin_of": true}, {"is_tracker_admin": true}',
  },
});
const trackersQuery = pageQuery(PAGE, MAX_PAGE, {
  query: { type: 'string', description: '{"is_tracker_admin": true}: those that the reader administers' },
  representation: { enum: ['full', 'minimal'], default: 'full' },
});

interface Ports {
  readonly directory: Directory;
}

export function projectRoutes({ directory }: Ports): readonly Route[] {
  return [
    route<object, SearchQuery>({
      method: 'GET',
      path: '/projects',
      access: 'hybrid',
      summary: 'The projects that the reader sees, by id; `query` is a JSON object.',
      query: searchQuery,
      responses: { 200: { description: 'A page of projects', schema: listOf(projectSchema) } },
      handle({ ctx, query: { limit, offset, query }, viewer }) {
        const projects = searchProjects(directory, viewer, jsonObjectParameter('query', query));
        setPage(ctx, { limit, offset, total: projects.length, max: MAX_PAGE });
        ctx.body = projects.slice(offset, offset + limit).map((project) => projectRepresentation(project, viewer));
      },
    }),
    route<Id>({
      method: 'GET',
      path: '/projects/:id',
      access: 'hybrid',
      summary: 'One project.',
      params: idParam(),
      responses: { 200: { description: 'The project', schema: projectSchema } },
      handle({ ctx, params, viewer }) {
        ctx.body = projectRepresentation(visibleProject(directory, viewer, params.id), viewer);
      },
    }),
    route<Id, TrackersQuery>({
      method: 'GET',
      path: '/projects/:id/trackers',
      access: 'hybrid',
      summary: 'The trackers of a project that the reader sees, by label, whole or in their minimal form.',
      params: idParam(),
      query: trackersQuery,
      responses: {
        200: { description: 'A page of trackers', schema: listOf({ anyOf: [trackerSchema, minimalTrackerSchema] }) },
      },
      handle({ ctx, params, query: { limit, offset, query, representation }, viewer }) {
        const project = visibleProject(directory, viewer, params.id);
        const trackers = projectTrackers(directory, viewer, project.id, jsonObjectParameter('query', query));
        setPage(ctx, { limit, offset, total: trackers.length, max: MAX_PAGE });
        const page = trackers.slice(offset, offset + limit);
        ctx.body =
          representation === 'minimal'
            ? page.map((tracker) => minimalTracker(tracker, directory))
            : page.map((tracker) => trackerStructure(tracker, directory, viewer));
      },
    }),
  ];
}

/** By label. */
function projectTrackers(
  directory: Directory,
  viewer: Viewer,
  projectId: number,
  query: ReadonlyMap<string, unknown>,
): readonly CompiledTracker[] {
  if ([...query].some(([key, value]) => key !== 'is_tracker_admin' || value !== true)) {
    throw new Problem('invalid', 'query can only be {"is_tracker_admin": true}');
  }
  const onlyAdministered = query.has('is_tracker_admin');
  return directory
    .trackersOf(projectId)
    .filter((tracker) => viewer.canSeeTracker(tracker) && (!onlyAdministered || viewer.isTrackerAdmin(tracker)));
}
