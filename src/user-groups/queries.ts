/** What the routes of user groups answer, apart from HTTP. */
import { invalidAt, invalidIn } from '../core/problem.js';
import { expectTrue, jsonObjectParameter } from '../http/json-parameter.js';
import { type Definitions } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { groupMembers } from '../projects/group-members.js';
import { ALL_USERS, REGISTERED_USERS, type GroupId } from '../projects/project-events.js';
import { type ProjectView } from '../projects/project-view.js';
import { groupsOf } from '../projects/representation.js';
import { isIdentifiedBy } from '../users/queries.js';
import { type UserView } from '../users/user-view.js';
import { refuseOthers, requestedGroup } from './authorize.js';

/** Active users by username; with a query those that it identifies. */
export function membersOf(definitions: Definitions, viewer: Viewer, id: string, query?: string): readonly UserView[] {
  const { owner, groupId } = requestedGroup(definitions, viewer, id);
  refuseOthers(owner, viewer);
  const identifier = identifierIn(query);
  const members = groupMembers(definitions, owner, [groupId]);
  return identifier === undefined ? members : members.filter(isIdentifiedBy(identifier));
}

function identifierIn(query: string | undefined): string | undefined {
  const members = jsonObjectParameter('query', query);
  const identifier = members.get('identifier');
  if (members.size === 0) return undefined;
  if (members.size === 1 && typeof identifier === 'string') return identifier;
  throw invalidAt('query', 'can only be {"identifier": "…"}, a user name, an email address or a display name');
}

const OF_EVERY_PROJECT: readonly GroupId[] = [ALL_USERS, REGISTERED_USERS];

const WITH_SHARED = 'with_system_user_groups';

/** Those that every project shares only where `query` asks for them; false is what clients send to have none. */
export function projectGroups(project: ProjectView, query: ReadonlyMap<string, unknown>): readonly GroupId[] {
  for (const [key, value] of query) {
    if (key !== WITH_SHARED) throw invalidIn('query', `query can only be {"${WITH_SHARED}": true}`);
    if (value !== false) expectTrue(key, value, 'true or false');
  }
  const isAsked = (query.get(WITH_SHARED) ?? false) !== false;
  return groupsOf(project).filter((id) => isAsked || !OF_EVERY_PROJECT.includes(id));
}
