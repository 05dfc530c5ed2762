/** What the routes of user groups answer, apart from HTTP. */
import { Problem } from '../core/problem.js';
import { type Definitions } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { groupMembers } from '../projects/group-members.js';
import { ALL_USERS, REGISTERED_USERS, type GroupId, type Membership } from '../projects/project-events.js';
import { type ProjectView } from '../projects/project-view.js';
import { visibleProject } from '../projects/queries.js';
import { groupsOf, userGroup, type GroupOwner } from '../projects/representation.js';
import { type UserView } from '../users/user-view.js';

/** The groups that every project shares. */
const PLATFORM: GroupOwner & Membership = { id: 0, groups: [], admins: [], members: [] };

/** Active users by username. */
export function membersOf(definitions: Definitions, viewer: Viewer, id: string): readonly UserView[] {
  const { owner, groupId } = requestedGroup(definitions, viewer, id);
  refuseOthers(owner, viewer);
  return groupMembers(definitions, owner, [groupId]);
}

/** Administrators of the project; of the site, for the groups of the platform. */
export function refuseOthers(owner: Membership, viewer: Viewer): void {
  if (viewer.canSeeMembers(owner)) return;
  throw new Problem('forbidden', 'Only administrators of the project may list or change the members of its groups');
}

const OF_EVERY_PROJECT: readonly GroupId[] = [ALL_USERS, REGISTERED_USERS];

/** Those that every project shares only where `query` asks for them. */
export function projectGroups(project: ProjectView, query: ReadonlyMap<string, unknown>): readonly GroupId[] {
  if ([...query].some(([key, value]) => key !== 'with_system_user_groups' || typeof value !== 'boolean')) {
    throw new Problem('invalid', 'query can only be {"with_system_user_groups": true}');
  }
  const isAsked = query.get('with_system_user_groups') === true;
  return groupsOf(project).filter((id) => isAsked || !OF_EVERY_PROJECT.includes(id));
}

/** `id` as representations have it: `110_3` for the members of a project, a bare number where that says enough. */
export function requestedGroup(definitions: Definitions, viewer: Viewer, id: string) {
  const [first = '', second] = id.split('_');
  const groupId = Number(second ?? first);
  const owner =
    second === undefined ? ownerOf(definitions, viewer, groupId) : visibleProject(definitions, viewer, Number(first));
  const representation = userGroup(owner, groupId);
  if (representation === undefined || representation.id !== id) throw notFound();
  return { owner, groupId, representation };
}

function ownerOf(definitions: Definitions, viewer: Viewer, groupId: GroupId) {
  const project = definitions.projectOfGroup(groupId);
  return project === undefined ? PLATFORM : visibleProject(definitions, viewer, project.id);
}

const notFound = (): Problem => new Problem('not-found', 'This user group does not exist');
