import { type Steps } from '../../core/concurrency/others-turn.js';
import { foldText } from '../../core/text/spelling.js';
import {
  ALL_USERS,
  PROJECT_ADMINS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
  type Membership,
  type UserGroup,
} from '../../projects/project-events.js';
import { type Project } from '../../projects/project.js';
import { type ProjectView } from '../../projects/project-view.js';
import { DEFAULTS } from '../format/defaults.js';
import { type ProjectEntry, type UserGroupEntry } from '../format/platform-schema.js';
import { desired, withLeftOut } from './member.js';
import {
  desiredDescription,
  refuseDuplicates,
  refuseFaultyLabel,
  resolved,
  desiredIds,
  type Resolver,
} from './resolver.js';
import { desiredTrackers, type DesiredTracker } from './desired-trackers.js';
import { type DesiredUsers } from './desired-users.js';

export interface DesiredProject {
  readonly id: number;
  readonly project: Project;
  readonly present: ProjectView | undefined;
  /** Null: the file has no list of them. */
  readonly trackers: readonly DesiredTracker[] | null;
}

/** The groups that every platform has, by their names in files. */
export const BUILT_IN_GROUPS: ReadonlyMap<string, GroupId> = new Map([
  ['all_users', ALL_USERS],
  ['registered_users', REGISTERED_USERS],
  ['project_members', PROJECT_MEMBERS],
  ['project_admins', PROJECT_ADMINS],
]);

export function* desiredProjects(
  entries: readonly ProjectEntry[],
  users: DesiredUsers,
  resolver: Resolver,
): Steps<readonly DesiredProject[]> {
  refuseDuplicates(
    entries.map(({ shortname }) => foldText(shortname)),
    (index) => `/projects/${index}/shortname`,
    resolver.complain,
  );
  const projects: DesiredProject[] = [];
  for (const [index, entry] of entries.entries()) {
    projects.push(yield* desiredProject(entry, `/projects/${index}`, users, resolver));
    yield;
  }
  return projects;
}

function* desiredProject(
  entry: ProjectEntry,
  pointer: string,
  { idOf }: DesiredUsers,
  resolver: Resolver,
): Steps<DesiredProject> {
  const present = resolver.present.projectNamed(entry.shortname);
  if (present !== undefined && present.shortname !== entry.shortname) {
    resolver.complain(`${pointer}/shortname`, `is registered as ${present.shortname} and keeps that spelling`);
  }
  const id = present?.id ?? resolver.newId('project');
  const groups = desiredGroups(entry.user_groups, present?.groups ?? [], idOf, `${pointer}/user_groups`, resolver);
  const groupIds = new Map([
    ...groups.map(({ shortName, id: group }): [string, GroupId] => [shortName, group]),
    ...BUILT_IN_GROUPS,
  ]);
  const usersOf = (member: 'admins' | 'members'): readonly number[] =>
    desiredIds(entry[member], present?.[member], [], (names) =>
      resolved(names, idOf, `${pointer}/${member}`, resolver),
    );
  const project: Project = {
    ...headOf(entry, present, pointer, resolver),
    admins: usersOf('admins'),
    members: usersOf('members'),
    groups,
  };
  return {
    id,
    project,
    present,
    trackers:
      entry.trackers === undefined
        ? null
        : yield* desiredTrackers(entry.trackers, `${pointer}/trackers`, {
            ...resolver,
            projectId: id,
            members: project,
            userId: idOf,
            groupId: (name) => groupIds.get(name),
            groupNames: [...BUILT_IN_GROUPS.keys(), ...groups.map(({ shortName }) => shortName)],
          }),
  };
}

function headOf(
  entry: ProjectEntry,
  present: ProjectView | undefined,
  pointer: string,
  resolver: Resolver,
): Omit<Project, keyof Membership> {
  refuseFaultyLabel(entry.label, present?.label, `${pointer}/label`, resolver);
  return {
    shortname: entry.shortname,
    label: entry.label,
    description: desiredDescription(entry.description, present?.description, pointer, resolver),
    access: desired(entry.access, present?.access, DEFAULTS.access),
    status: desired(entry.status, present?.status, DEFAULTS.status),
    svn: desired(entry.svn, present?.svn, DEFAULTS.svn),
  };
}

/** A group that the list leaves out stays, because permissions and artifacts name it; pruning empties it. */
function desiredGroups(
  entries: readonly UserGroupEntry[] | undefined,
  present: readonly UserGroup[],
  userId: (name: string) => number | undefined,
  pointer: string,
  resolver: Resolver,
): readonly UserGroup[] {
  if (entries === undefined) return present;
  const names = entries.map(({ short_name }) => short_name);
  refuseDuplicates(names, (index) => `${pointer}/${index}/short_name`, resolver.complain);
  const presentByName = new Map(present.map((group) => [group.shortName, group]));
  const listed = entries.map(({ short_name: shortName, label, members }, index): UserGroup => {
    if (BUILT_IN_GROUPS.has(shortName)) {
      resolver.complain(`${pointer}/${index}/short_name`, 'is a group that every project has');
    }
    const known = presentByName.get(shortName);
    refuseFaultyLabel(label, known?.label, `${pointer}/${index}/label`, resolver);
    const users = desiredIds(members, known?.members, [], (given) =>
      resolved(given, userId, `${pointer}/${index}/members`, resolver),
    );
    return { id: known?.id ?? resolver.newId('group'), shortName, label, members: users };
  });
  const named = new Set(names);
  const leftOut = present.filter(({ shortName }) => !named.has(shortName));
  const kept = resolver.prune ? leftOut.map((group) => ({ ...group, members: [] })) : leftOut;
  return withLeftOut(listed, kept, present);
}
