/** Who is in a group. A file of its own because lists bound to users ask it as the groups' routes do. */
import { type Directory } from '../directory/directory.js';
import { type UserView } from '../users/user-view.js';
import {
  ALL_USERS,
  PROJECT_ADMINS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
  type Membership,
} from './project.js';

/** Active users who are in any of the groups, by username. */
export function groupMembers(
  directory: Directory,
  project: Membership,
  groups: readonly GroupId[],
): readonly UserView[] {
  const everybody = groups.includes(ALL_USERS) || groups.includes(REGISTERED_USERS);
  const users = everybody ? [...directory.users()] : listed(directory, project, groups);
  return users
    .filter(({ status }) => status === 'active')
    .sort((a, b) => (a.username < b.username ? -1 : Number(a.username > b.username)));
}

function listed(directory: Directory, project: Membership, groups: readonly GroupId[]): UserView[] {
  const ids = new Set(groups.flatMap((group) => memberIds(project, group)));
  return [...ids].flatMap((id) => directory.user(id) ?? []);
}

function memberIds(project: Membership, group: GroupId): readonly number[] {
  if (group === PROJECT_ADMINS) return project.admins;
  if (group === PROJECT_MEMBERS) return [...project.admins, ...project.members];
  return project.groups.find(({ id }) => id === group)?.members ?? [];
}
