import { type Definitions } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { jsonObjectParameter } from '../http/json-parameter.js';
import { listPage } from '../http/pages/list-page.js';
import { setPage } from '../http/pages/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { idParam, type IdParams } from '../http/validate.js';
import { visibleProject } from '../projects/queries.js';
import { userGroups } from '../projects/representation.js';
import { userFor } from '../users/representation.js';
import { shownUserSchema } from '../users/schemas.js';
import { requestedGroup } from './authorize.js';
import { replaceMembers } from './commands.js';
import { type UserGroupPorts } from './ports.js';
import { membersOf, projectGroups } from './queries.js';
import { listedGroup, wholeGroup } from './representation.js';
import * as schemas from './schemas.js';
import { byFirstId } from '../http/openapi/links.js';

/** Where the groups in other representations lead. */
export function userGroupRoutes(ports: UserGroupPorts): readonly Route<Viewer>[] {
  const { definitions } = ports;
  return [
    ofProject(definitions),
    route<Viewer, schemas.RestId>({
      method: 'GET',
      path: '/user_groups/:id',
      access: 'hybrid',
      tag: schemas.TAG,
      summary: 'Get a user group.',
      params: schemas.restId,
      responses: { 200: { description: 'The group', schema: schemas.wholeGroupSchema } },
      handle({ ctx, params, viewer }) {
        ctx.body = wholeGroup(requestedGroup(definitions, viewer, params.id));
      },
    }),
    route<Viewer, schemas.RestId, schemas.NarrowedQuery>({
      method: 'GET',
      path: '/user_groups/:id/users',
      access: 'protected',
      tag: schemas.TAG,
      summary: 'List the members of a user group.',
      description: 'The active users, by username. Administrators of the project may do this.',
      params: schemas.restId,
      query: schemas.membersQuery,
      responses: { 200: { description: 'A page of users', schema: listOf(shownUserSchema) } },
      handle({ ctx, params, query, viewer }) {
        const users = membersOf(definitions, viewer, params.id, query.query);
        const page = listPage(users, query, ({ username }) => username);
        setPage(ctx, { ...query, ...page, max: schemas.MEMBERS_MAX });
        ctx.body = page.items.map((user) => userFor(viewer, user));
      },
    }),
    route<Viewer, schemas.RestId, object, schemas.MembersBody>({
      method: 'PUT',
      path: '/user_groups/:id/users',
      access: 'protected',
      tag: schemas.TAG,
      summary: 'Replace the members of a user group.',
      description:
        'Administrators of the project may do this, for its members and its own groups. Administrators of the project stay members. An active user who joins a group of a private project becomes a member of the project. A user who is no longer a member of the project leaves its groups.',
      params: schemas.restId,
      body: schemas.membersBody,
      responses: { 200: { description: 'The group has these members. There is no body.', schema: null } },
      async handle({ ctx, params, body, viewer }) {
        await replaceMembers(params.id, body, ports, { viewer, requestId: ctx.state.requestId });
      },
    }),
  ];
}

const ofProject = (definitions: Definitions): Route<Viewer> =>
  route<Viewer, IdParams, schemas.NarrowedQuery>({
    method: 'GET',
    path: '/projects/:id/user_groups',
    access: 'hybrid',
    tag: schemas.TAG,
    summary: 'List the user groups of a project.',
    description: 'The members, the administrators, then the own groups of the project.',
    params: idParam('project'),
    query: schemas.groupsQuery,
    responses: {
      200: {
        description: 'A page of groups',
        schema: listOf(schemas.listedGroupSchema),
        links: byFirstId('getUserGroupsId', 'getUserGroupsIdUsers'),
      },
    },
    handle({ ctx, params, query: { limit, offset, query }, viewer }) {
      const project = visibleProject(definitions, viewer, params.id);
      const groups = projectGroups(project, jsonObjectParameter('query', query));
      setPage(ctx, { limit, offset, total: groups.length, max: schemas.GROUPS_MAX });
      ctx.body = userGroups(project, groups.slice(offset, offset + limit)).map(listedGroup);
    },
  });
