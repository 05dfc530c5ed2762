import { type Context } from 'koa';
import { type Viewer } from '../authorization/viewer.js';
import { LOCATION, setLocation } from '../http/location.js';
import { setPage } from '../http/pages/pagination.js';
import { route, type Route } from '../http/route.js';
import { sendTexts } from '../http/send-json.js';
import { idParam, type IdParams } from '../http/validate.js';
import { visibleProject } from '../projects/queries.js';
import { createRepository, deleteRepository, replaceSettings, type Written } from './commands.js';
import { type SvnPorts } from './ports.js';
import { oneRepository, repositoriesOf } from './queries.js';
import { repositoryTexts } from './representation.js';
import * as schemas from './schemas.js';
import { byItsId } from '../http/openapi/links.js';

export const svnRoutes = (ports: SvnPorts): readonly Route<Viewer>[] => [
  create(ports),
  one(ports),
  replace(ports),
  remove(ports),
  ofProject(ports),
];

const create = (ports: SvnPorts): Route<Viewer> =>
  route<Viewer, object, object, schemas.CreateBody>({
    method: 'POST',
    path: '/svn',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Create a repository.',
    description: 'Administrators of the project may do this. The name is unique in the project.',
    body: schemas.createBody,
    responses: {
      201: {
        description: 'The repository',
        schema: schemas.repositorySchema,
        headers: LOCATION,
        links: byItsId('getSvnId', 'putSvnId', 'deleteSvnId'),
      },
    },
    errors: {
      409: 'The name is not allowed, or another repository of the project has it.',
    },
    async handle({ ctx, body, viewer }) {
      const repository = await createRepository(body, ports, { viewer, requestId: ctx.state.requestId });
      ctx.status = 201;
      setLocation(ctx, `svn/${repository.id}`);
      await sendWritten(ctx, repository, ports);
    },
  });

const one = (ports: SvnPorts): Route<Viewer> =>
  route<Viewer, IdParams>({
    method: 'GET',
    path: '/svn/:id',
    access: 'hybrid',
    tag: schemas.TAG,
    summary: 'Get a repository.',
    params: idParam('repository'),
    responses: { 200: { description: 'The repository', schema: schemas.repositorySchema } },
    async handle({ ctx, params, viewer }) {
      await sendTexts(ctx, await oneRepository(params.id, { ...ports, viewer, origin: ctx.state.origin }));
    },
  });

const replace = (ports: SvnPorts): Route<Viewer> =>
  route<Viewer, IdParams, object, schemas.ReplaceBody>({
    method: 'PUT',
    path: '/svn/:id',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Replace the settings of a repository.',
    description: 'Administrators of its project may do this. All settings are required.',
    params: idParam('repository'),
    body: schemas.replaceBody,
    responses: { 200: { description: 'The repository', schema: schemas.repositorySchema } },
    async handle({ ctx, params, body, viewer }) {
      const caller = { viewer, requestId: ctx.state.requestId };
      const repository = await replaceSettings(params.id, body.settings, ports, caller);
      await sendWritten(ctx, repository, ports);
    },
  });

const remove = (ports: SvnPorts): Route<Viewer> =>
  route<Viewer, IdParams>({
    method: 'DELETE',
    path: '/svn/:id',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Delete a repository.',
    description: 'Administrators of its project may do this. The name can be used again.',
    params: idParam('repository'),
    responses: { 202: { description: 'The repository is deleted. There is no body.', schema: null } },
    async handle({ ctx, params, viewer }) {
      await deleteRepository(params.id, ports, { viewer, requestId: ctx.state.requestId });
      ctx.status = 202;
    },
  });

const ofProject = (ports: SvnPorts): Route<Viewer> =>
  route<Viewer, IdParams, schemas.ListQuery>({
    method: 'GET',
    path: '/projects/:id/svn',
    access: 'hybrid',
    tag: schemas.TAG,
    summary: 'List the repositories of a project.',
    description: 'By name, without their settings.',
    params: idParam('project'),
    query: schemas.listQuery,
    responses: { 200: { description: 'A page of repositories', schema: schemas.repositoriesSchema } },
    async handle({ ctx, params, query, viewer }) {
      const project = visibleProject(ports.definitions, viewer, params.id);
      const reading = { ...ports, viewer, origin: ctx.state.origin };
      const { items, ...page } = await repositoriesOf(project, query, reading);
      setPage(ctx, { ...query, ...page, max: schemas.LIST_MAX });
      ctx.body = { repositories: items };
    },
  });

/** Its writer was an administrator when it was stored. */
function sendWritten(ctx: Context, repository: Written, { definitions }: SvnPorts): Promise<void> {
  const reading = { definitions, origin: ctx.state.origin, isAdmin: true };
  return sendTexts(ctx, repositoryTexts(repository, repository.project, reading));
}
