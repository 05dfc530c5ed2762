import {
  ALL_USERS,
  PROJECT_ADMINS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
  type Membership,
} from '../projects/project-events.js';
import { type UserView } from '../users/user-view.js';

const ANONYMOUS: ReadonlySet<GroupId> = new Set([ALL_USERS]);
const REGISTERED: ReadonlySet<GroupId> = new Set([ALL_USERS, REGISTERED_USERS]);

/** All groups of the project that hold the user; null is an anonymous reader. Most users share a set. */
export function groupsOf(user: Pick<UserView, 'id'> | null, project: Membership): ReadonlySet<GroupId> {
  return user === null ? ANONYMOUS : (groupsByMember(project).get(user.id) ?? REGISTERED);
}

type GroupsByMember = ReadonlyMap<number, ReadonlySet<GroupId>>;

/** A project is another object once anything of it has changed. */
const membersOf = new WeakMap<Membership, GroupsByMember>();

function groupsByMember(project: Membership): GroupsByMember {
  const known = membersOf.get(project);
  if (known !== undefined) return known;
  const made = new Map<number, Set<GroupId>>();
  const add = (members: readonly number[], group: GroupId): void => {
    for (const member of members) made.set(member, (made.get(member) ?? new Set(REGISTERED)).add(group));
  };
  add(project.admins, PROJECT_ADMINS);
  add([...project.admins, ...project.members], PROJECT_MEMBERS);
  for (const { id, members } of project.groups) add(members, id);
  membersOf.set(project, made);
  return made;
}

/** Whether one of the groups is granted what only some may be. */
export function isUnrestrictedFor(groups: ReadonlySet<GroupId>, granted: unknown): boolean {
  if (!Array.isArray(granted) || granted.length === 0) return true;
  return granted.some((group) => typeof group === 'number' && groups.has(group));
}
