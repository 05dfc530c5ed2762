import { foldText } from '../core/read-models.js';
import {
  ALL_USERS,
  PROJECT_ADMINS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
  type UserGroup,
} from '../projects/project.js';
import { type ProjectView } from '../projects/project-view.js';
import { type ProjectEntry, type UserGroupEntry } from './file-shape.js';
import { refuseDuplicates, resolved, type Resolver } from './resolver.js';
import { wantedTrackers, type WantedTracker } from './wanted-trackers.js';
import { type WantedUsers } from './wanted-users.js';

export interface WantedProject {
  readonly id: number;
  readonly entry: ProjectEntry;
  readonly present: ProjectView | undefined;
  readonly admins: readonly number[];
  readonly members: readonly number[];
  readonly groups: readonly UserGroup[];
  readonly trackers: readonly WantedTracker[];
}

/** The groups that every platform has, by their names in files. */
export const BUILT_IN_GROUPS: ReadonlyMap<string, GroupId> = new Map([
  ['all_users', ALL_USERS],
  ['registered_users', REGISTERED_USERS],
  ['project_members', PROJECT_MEMBERS],
  ['project_admins', PROJECT_ADMINS],
]);

export function wantedProjects(
  entries: readonly ProjectEntry[],
  users: WantedUsers,
  resolver: Resolver,
): readonly WantedProject[] {
  refuseDuplicates(
    entries.map(({ shortname }) => foldText(shortname)),
    (index) => `/projects/${index}/shortname`,
    resolver.complain,
  );
  return entries.map((entry, index) => wantedProject(entry, `/projects/${index}`, users, resolver));
}

function wantedProject(entry: ProjectEntry, pointer: string, { idOf }: WantedUsers, resolver: Resolver): WantedProject {
  const present = resolver.present.projectNamed(entry.shortname);
  if (present !== undefined && present.shortname !== entry.shortname) {
    resolver.complain(`${pointer}/shortname`, `is registered as ${present.shortname} and keeps that spelling`);
  }
  const id = present?.id ?? resolver.newId('project');
  const groups = wantedGroups(entry.user_groups, present?.groups ?? [], idOf, `${pointer}/user_groups`, resolver);
  const groupIds = new Map([
    ...groups.map(({ shortName, id: group }): [string, GroupId] => [shortName, group]),
    ...BUILT_IN_GROUPS,
  ]);
  return {
    id,
    entry,
    present,
    admins: resolved(entry.admins, idOf, `${pointer}/admins`, resolver),
    members: resolved(entry.members, idOf, `${pointer}/members`, resolver),
    groups,
    trackers: wantedTrackers(entry.trackers, `${pointer}/trackers`, {
      ...resolver,
      projectId: id,
      userId: idOf,
      groupId: (name) => groupIds.get(name),
    }),
  };
}

/** Groups that the file no longer lists stay, because permissions and artifacts name them; pruned, nobody is in them. */
function wantedGroups(
  entries: readonly UserGroupEntry[],
  present: readonly UserGroup[],
  userId: (name: string) => number | undefined,
  pointer: string,
  resolver: Resolver,
): readonly UserGroup[] {
  const names = entries.map(({ short_name }) => short_name);
  refuseDuplicates(names, (index) => `${pointer}/${index}/short_name`, resolver.complain);
  const wanted = entries.map(({ short_name: shortName, label, members }, index) => {
    if (BUILT_IN_GROUPS.has(shortName)) {
      resolver.complain(`${pointer}/${index}/short_name`, 'is a group that every project has');
    }
    const id = present.find((group) => group.shortName === shortName)?.id ?? resolver.newId('group');
    return { id, shortName, label, members: resolved(members, userId, `${pointer}/${index}/members`, resolver) };
  });
  const dropped = present.filter(({ shortName }) => !names.includes(shortName));
  return [...wanted, ...dropped.map((group) => (resolver.prune ? { ...group, members: [] } : group))];
}
