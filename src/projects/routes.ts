import { sendTagged, TEXT_TAGS } from '../http/etag.js';
import { jsonObjectParameter } from '../http/json-parameter.js';
import { listPage } from '../http/pages/list-page.js';
import { setPage } from '../http/pages/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { madeOf } from '../http/state.js';
import { idParam, type IdParams } from '../http/validate.js';
import { type ProjectDefinitions } from './project-definitions.js';
import { type ProjectRights } from './project-rights.js';
import { searchProjects, visibleProject } from './queries.js';
import { projectRepresentation } from './representation.js';
import * as schemas from './schemas.js';
import { byFirstId } from '../http/openapi/links.js';

interface Ports {
  readonly definitions: ProjectDefinitions;
}

export function projectRoutes({ definitions }: Ports): readonly Route<ProjectRights>[] {
  return [
    route<ProjectRights, object, schemas.SearchQuery>({
      method: 'GET',
      path: '/projects',
      access: 'hybrid',
      tag: schemas.TAG,
      summary: 'List the projects.',
      description: 'The projects that the reader may see, by id.',
      query: schemas.searchQuery,
      responses: {
        200: {
          description: 'A page of projects',
          schema: listOf(schemas.projectSchema),
          links: byFirstId('getProjectsId', 'getProjectsIdTrackers', 'getProjectsIdUserGroups', 'getProjectsIdSvn'),
        },
      },
      handle({ ctx, query, viewer }) {
        madeOf(ctx, definitions);
        const projects = searchProjects(definitions, viewer, jsonObjectParameter('query', query.query));
        const page = listPage(projects, query, ({ id }) => id);
        setPage(ctx, { ...query, ...page, max: schemas.SEARCH_MAX });
        ctx.body = page.items.map((project) => projectRepresentation(project, viewer));
      },
    }),
    route<ProjectRights, IdParams>({
      method: 'GET',
      path: '/projects/:id',
      access: 'hybrid',
      tag: schemas.TAG,
      summary: 'Get a project.',
      params: idParam('project'),
      headers: TEXT_TAGS.headers,
      responses: { 200: { description: 'The project', schema: schemas.projectSchema, headers: TEXT_TAGS.answer } },
      async handle({ ctx, params, viewer }) {
        madeOf(ctx, definitions);
        const project = visibleProject(definitions, viewer, params.id);
        await sendTagged(ctx, JSON.stringify(projectRepresentation(project, viewer)));
      },
    }),
  ];
}
