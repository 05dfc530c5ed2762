/** Who joins and leaves a project as the members of one of its groups change. The rules are those of Tuleap. */
import { PROJECT_MEMBERS, type GroupId, type Membership, type Registration } from './project-events.js';

export interface Replacement {
  readonly groupId: GroupId;
  /** All members of the group, each once. */
  readonly users: readonly number[];
  /** Those of `users` who may become members of the project. */
  readonly active: readonly number[];
}

type Owner = Membership & Pick<Registration, 'access'>;

export function withReplaced(project: Owner, replacement: Replacement): Membership {
  if (replacement.groupId === PROJECT_MEMBERS) return withoutLeaving(project, replacement.users);
  return withJoining(project, replacement);
}

/** A user who leaves the project leaves its own groups too. Administrators stay in both. */
function withoutLeaving({ admins, members, groups }: Membership, users: readonly number[]): Membership {
  const staying = new Set([...admins, ...users]);
  const leaving = new Set(members.filter((id) => !staying.has(id)));
  return {
    admins,
    members: replaced(members, users),
    groups: groups.map((group) => ({ ...group, members: group.members.filter((id) => !leaving.has(id)) })),
  };
}

/** A user who joins a group of a private project joins the project too. Earlier members of the group stay outside. */
function withJoining({ access, admins, members, groups }: Owner, { groupId, users, active }: Replacement): Membership {
  const group = groups.find(({ id }) => id === groupId);
  if (group === undefined) return { admins, members, groups };
  const known = new Set([...admins, ...members, ...group.members]);
  const joining = access === 'private' ? active.filter((id) => !known.has(id)) : [];
  return {
    admins,
    members: [...members, ...joining],
    groups: groups.map((each) => (each === group ? { ...group, members: replaced(group.members, users) } : each)),
  };
}

/** The same users in another order are no change. */
function replaced(present: readonly number[], users: readonly number[]): readonly number[] {
  const known = new Set(present);
  return known.size === users.length && users.every((id) => known.has(id)) ? present : users;
}
