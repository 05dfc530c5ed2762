import { jsonObjectParameter } from '../http/json-parameter.js';
import { pageQuery, setPage, type PageQuery } from '../http/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { idParam } from '../http/validate.js';
import { type ProjectDirectory } from './project-directory.js';
import { type ProjectRights } from './project-rights.js';
import { searchProjects } from './queries.js';
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

const searchQuery = pageQuery(PAGE, MAX_PAGE, {
  query: {
    type: 'string',
    description: '{"shortname": "…"}, {"is_member_of": true}, {"is_admin_of": true}, {"is_tracker_admin": true}',
  },
});

interface Ports {
  readonly directory: ProjectDirectory;
}

export function projectRoutes({ directory }: Ports): readonly Route<ProjectRights>[] {
  return [
    route<ProjectRights, object, SearchQuery>({
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
    route<ProjectRights, Id>({
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
  ];
}
