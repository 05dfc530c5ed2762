import { Problem } from '../core/problem.js';
import { type Directory } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { pageQuery, setPage, type PageQuery } from '../http/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { groupMembers } from '../projects/group-members.js';
import { type GroupId, type Membership } from '../projects/project-events.js';
import { userGroup, type GroupOwner } from '../projects/representation.js';
import { userGroupSchema } from '../projects/schemas.js';
import { visibleProject } from '../projects/visible-project.js';
import { userFor } from '../users/representation.js';
import { fullUserSchema } from '../users/schemas.js';

const PAGE = 10;
const MAX_PAGE = 50;

interface RestId {
  readonly id: string;
}

const restId = {
  type: 'object',
  properties: { id: { type: 'string', pattern: '^[0-9]{1,15}(_[0-9]{1,15})?$' } },
  required: ['id'],
};

/** The groups that every project shares. */
const PLATFORM: GroupOwner & Membership = { id: 0, groups: [], admins: [], members: [] };

interface Ports {
  readonly directory: Directory;
}

/** Where the groups in other representations lead. */
export function userGroupRoutes({ directory }: Ports): readonly Route<Viewer>[] {
  return [
    route<Viewer, RestId>({
      method: 'GET',
      path: '/user_groups/:id',
      access: 'hybrid',
      summary: 'One user group.',
      params: restId,
      responses: { 200: { description: 'The group', schema: userGroupSchema } },
      handle({ ctx, params, viewer }) {
        ctx.body = groupAt(directory, viewer, params.id).representation;
      },
    }),
    route<Viewer, RestId, PageQuery>({
      method: 'GET',
      path: '/user_groups/:id/users',
      access: 'protected',
      summary: 'The active users in a group, by username, for administrators of its project.',
      params: restId,
      query: pageQuery(PAGE, MAX_PAGE),
      responses: { 200: { description: 'A page of users', schema: listOf(fullUserSchema) } },
      handle({ ctx, params, query: { limit, offset }, viewer }) {
        const { owner, groupId } = groupAt(directory, viewer, params.id);
        if (!viewer.canSeeMembers(owner)) {
          throw new Problem('forbidden', 'Only administrators of the project may list the members of its groups');
        }
        const users = groupMembers(directory, owner, [groupId]);
        setPage(ctx, { limit, offset, total: users.length, max: MAX_PAGE });
        ctx.body = users.slice(offset, offset + limit).map((user) => userFor(viewer, user));
      },
    }),
  ];
}

function groupAt(directory: Directory, viewer: Viewer, id: string) {
  const [first = '', second] = id.split('_');
  const groupId = Number(second ?? first);
  const owner =
    second === undefined ? ownerOf(directory, viewer, groupId) : visibleProject(directory, viewer, Number(first));
  const representation = userGroup(owner, groupId);
  if (representation === undefined || representation.id !== id) throw notFound();
  return { owner, groupId, representation };
}

function ownerOf(directory: Directory, viewer: Viewer, groupId: GroupId) {
  const project = directory.projectOfGroup(groupId);
  return project === undefined ? PLATFORM : visibleProject(directory, viewer, project.id);
}

const notFound = (): Problem => new Problem('not-found', 'This user group does not exist');
