import { Problem } from '../core/problem.js';
import { pageQuery, setPage, type PageQuery } from '../http/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { userFor } from './representation.js';
import { fullUserSchema } from './schemas.js';
import { searchUsers } from './queries.js';
import { type UserDirectory } from './user-directory.js';
import { type UserRights } from './user-rights.js';
import { type UserView } from './user-view.js';

const PAGE = 10;
const MAX_PAGE = 50;

interface SelfOrId {
  readonly id: string;
}

interface SearchQuery extends PageQuery {
  readonly query: string;
}

const selfOrId = {
  type: 'object',
  properties: { id: { type: 'string', pattern: '^(self|[0-9]+)$' } },
  required: ['id'],
};

const searchQuery = {
  ...pageQuery(PAGE, MAX_PAGE, {
    query: { type: 'string', description: 'A part of a name, at least 3 characters, or JSON' },
  }),
  required: ['query'],
};

interface Ports {
  readonly directory: UserDirectory;
}

export function userRoutes({ directory }: Ports): readonly Route<UserRights>[] {
  return [
    route<UserRights, object, SearchQuery>({
      method: 'GET',
      path: '/users',
      access: 'protected',
      summary: 'Active users by username: whose names hold `query`, or one by {"username": …} or {"email": …}.',
      query: searchQuery,
      responses: { 200: { description: 'A page of users', schema: listOf(fullUserSchema) } },
      handle({ ctx, query: { limit, offset, query }, viewer }) {
        const users = searchUsers(directory, query);
        setPage(ctx, { limit, offset, total: users.length, max: MAX_PAGE });
        const page = users.slice(offset, offset + limit).flatMap(({ id }) => directory.currentUser(id) ?? []);
        ctx.body = page.map((user) => userFor(viewer, user));
      },
    }),
    route<UserRights, SelfOrId>({
      method: 'GET',
      path: '/users/:id',
      access: 'hybrid',
      summary: 'One user, or the caller as `self`; with email and status for those who have signed in.',
      params: selfOrId,
      responses: { 200: { description: 'The user', schema: fullUserSchema } },
      handle({ ctx, params, viewer }) {
        const user = userAt(directory, viewer, params.id);
        ctx.body = userFor(viewer, user);
      },
    }),
  ];
}

function userAt(directory: UserDirectory, viewer: UserRights, id: string): UserView {
  if (id === 'self') {
    if (viewer.user === null) throw new Problem('unauthenticated', 'Sign in to see your own user');
    return viewer.user;
  }
  const user = directory.currentUser(Number(id));
  if (user === undefined) throw new Problem('not-found', 'This user does not exist');
  return user;
}
