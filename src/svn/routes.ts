import { type Viewer } from '../authorization/viewer.js';
import { setLocation } from '../http/location.js';
import { setPage } from '../http/pages/pagination.js';
import { route, type Route } from '../http/route.js';
import { sendTexts } from '../http/send-json.js';
import { idParam } from '../http/validate.js';
import { visibleProject } from '../projects/queries.js';
import { createRepository, deleteRepository, replaceSettings } from './commands.js';
import { type SvnPorts } from './ports.js';
import { oneRepository, repositoriesOf } from './queries.js';
import { repositoryTexts } from './representation.js';
import * as schemas from './schemas.js';

interface Id {
  readonly id: number;
}

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
    summary: 'Creates a repository, for administrators of its project. Its name is unique in the project.',
    body: schemas.createBody,
    responses: { 201: { description: 'The repository with its settings' } },
    async handle({ ctx, body, viewer }) {
      const repository = await createRepository(body, ports, { viewer, requestId: ctx.state.requestId });
      ctx.status = 201;
      setLocation(ctx, `svn/${repository.id}`);
      await sendTexts(
        ctx,
        repositoryTexts(repository, repository.project, { ...ports, viewer, origin: ctx.state.origin }),
      );
    },
  });

const one = (ports: SvnPorts): Route<Viewer> =>
  route<Viewer, Id>({
    method: 'GET',
    path: '/svn/:id',
    access: 'hybrid',
    summary: 'One repository, with its settings for administrators of its project.',
    params: idParam(),
    responses: { 200: { description: 'The repository' } },
    async handle({ ctx, params, viewer }) {
      await sendTexts(ctx, await oneRepository(params.id, { ...ports, viewer, origin: ctx.state.origin }));
    },
  });

const replace = (ports: SvnPorts): Route<Viewer> =>
  route<Viewer, Id, object, schemas.ReplaceBody>({
    method: 'PUT',
    path: '/svn/:id',
    access: 'protected',
    summary: 'Replaces all settings of a repository, for administrators of its project.',
    params: idParam(),
    body: schemas.replaceBody,
    responses: { 200: { description: 'The repository with its settings' } },
    async handle({ ctx, params, body, viewer }) {
      const caller = { viewer, requestId: ctx.state.requestId };
      const repository = await replaceSettings(params.id, body.settings, ports, caller);
      await sendTexts(
        ctx,
        repositoryTexts(repository, repository.project, { ...ports, viewer, origin: ctx.state.origin }),
      );
    },
  });

const remove = (ports: SvnPorts): Route<Viewer> =>
  route<Viewer, Id>({
    method: 'DELETE',
    path: '/svn/:id',
    access: 'protected',
    summary: 'Deletes a repository, for administrators of its project. Its name can be used again.',
    params: idParam(),
    responses: { 202: { description: 'Deleted; no body' } },
    async handle({ ctx, params, viewer }) {
      await deleteRepository(params.id, ports, { viewer, requestId: ctx.state.requestId });
      ctx.status = 202;
    },
  });

const ofProject = (ports: SvnPorts): Route<Viewer> =>
  route<Viewer, Id, schemas.ListQuery>({
    method: 'GET',
    path: '/projects/:id/svn',
    access: 'hybrid',
    summary: 'The repositories of a project by name, without their settings.',
    params: idParam(),
    query: schemas.listQuery,
    responses: { 200: { description: 'A page, in `repositories`' } },
    async handle({ ctx, params, query, viewer }) {
      const project = visibleProject(ports.definitions, viewer, params.id);
      const reading = { ...ports, viewer, origin: ctx.state.origin };
      const { items, ...page } = await repositoriesOf(project, query, reading);
      setPage(ctx, { ...query, ...page, max: schemas.LIST_MAX });
      ctx.body = { repositories: items };
    },
  });
