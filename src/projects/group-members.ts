/** Who is in a group. A file of its own because lists bound to users ask it as the groups' routes do. */
import { type UserDefinitions } from '../users/user-definitions.js';
import { type UserView } from '../users/user-view.js';
import {
  ALL_USERS,
  PROJECT_ADMINS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
  type Membership,
} from './project-events.js';

/**
 * Active users who are in any of the groups, by username. At most so many of them, those of the first groups: no more
 * members are looked at than it takes to find these.
 */
export function groupMembers(
  definitions: UserDefinitions,
  project: Membership,
  groups: readonly GroupId[],
  most = Infinity,
): readonly UserView[] {
  const found = new Map<number, UserView>();
  for (const group of groups) {
    for (const user of isEverybody(group) ? definitions.users() : usersIn(definitions, project, group)) {
      if (found.size >= most) return [...found.values()].sort(byUsername);
      if (isActive(user)) found.set(user.id, user);
    }
  }
  return [...found.values()].sort(byUsername);
}

const isEverybody = (group: GroupId): boolean => group === ALL_USERS || group === REGISTERED_USERS;
const isActive = ({ status }: UserView): boolean => status === 'active';
const byUsername = (a: UserView, b: UserView): number =>
  a.username < b.username ? -1 : Number(a.username > b.username);

function* usersIn(definitions: UserDefinitions, project: Membership, group: GroupId): Iterable<UserView> {
  for (const id of memberIds(project, group)) {
    const user = definitions.user(id);
    if (user !== undefined) yield user;
  }
}

function memberIds(project: Membership, group: GroupId): readonly number[] {
  if (group === PROJECT_ADMINS) return project.admins;
  if (group === PROJECT_MEMBERS) return [...project.admins, ...project.members];
  return project.groups.find(({ id }) => id === group)?.members ?? [];
}
