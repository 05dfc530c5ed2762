import { type Definitions } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { listPage } from '../http/pages/list-page.js';
import { setPage, type PageQuery } from '../http/pages/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { userGroupSchema } from '../projects/schemas.js';
import { userFor } from '../users/representation.js';
import { fullUserSchema } from '../users/schemas.js';
import { membersOf, requestedGroup } from './queries.js';
import * as schemas from './schemas.js';

interface Ports {
  readonly definitions: Definitions;
}

/** Where the groups in other representations lead. */
export function userGroupRoutes({ definitions }: Ports): readonly Route<Viewer>[] {
  return [
    route<Viewer, schemas.RestId>({
      method: 'GET',
      path: '/user_groups/:id',
      access: 'hybrid',
      summary: 'One user group.',
      params: schemas.restId,
      responses: { 200: { description: 'The group', schema: userGroupSchema } },
      handle({ ctx, params, viewer }) {
        ctx.body = requestedGroup(definitions, viewer, params.id).representation;
      },
    }),
    route<Viewer, schemas.RestId, PageQuery>({
      method: 'GET',
      path: '/user_groups/:id/users',
      access: 'protected',
      summary: 'The active users in a group, by username, for administrators of its project.',
      params: schemas.restId,
      query: schemas.membersQuery,
      responses: { 200: { description: 'A page of users', schema: listOf(fullUserSchema) } },
      handle({ ctx, params, query, viewer }) {
        const users = membersOf(definitions, viewer, params.id);
        const page = listPage(users, query, ({ username }) => username);
        setPage(ctx, { ...query, ...page, max: schemas.MEMBERS_MAX });
        ctx.body = page.items.map((user) => userFor(viewer, user));
      },
    }),
  ];
}
