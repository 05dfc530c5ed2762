import { listPage } from '../http/pages/list-page.js';
import { setPage } from '../http/pages/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { madeOf } from '../http/state.js';
import { userFor } from './representation.js';
import { requestedUser, searchUsers } from './queries.js';
import * as schemas from './schemas.js';
import { type UserDefinitions } from './user-definitions.js';
import { type UserRights } from './user-rights.js';

interface Ports {
  readonly definitions: UserDefinitions;
}

export function userRoutes({ definitions }: Ports): readonly Route<UserRights>[] {
  return [
    route<UserRights, object, schemas.SearchQuery>({
      method: 'GET',
      path: '/users',
      access: 'protected',
      tag: schemas.TAG,
      summary: 'Search users.',
      description: 'The active users whose names contain `query`, by username.',
      query: schemas.searchQuery,
      responses: { 200: { description: 'A page of users', schema: listOf(schemas.shownUserSchema) } },
      handle({ ctx, query, viewer }) {
        const users = searchUsers(definitions, query.query);
        const page = listPage(users, query, ({ username }) => username);
        setPage(ctx, { ...query, ...page, max: schemas.SEARCH_MAX });
        const current = page.items.flatMap(({ id }) => definitions.currentUser(id) ?? []);
        ctx.body = current.map((user) => userFor(viewer, user));
      },
    }),
    route<UserRights, schemas.SelfOrId>({
      method: 'GET',
      path: '/users/:id',
      access: 'hybrid',
      tag: schemas.TAG,
      summary: 'Get a user.',
      params: schemas.selfOrId,
      responses: { 200: { description: 'The user', schema: schemas.shownUserSchema } },
      handle({ ctx, params, viewer }) {
        madeOf(ctx, definitions);
        ctx.body = userFor(viewer, requestedUser(definitions, viewer, params.id));
      },
    }),
  ];
}
