import { type ProjectRights } from './project-rights.js';
import { type ProjectView } from './project-view.js';
import {
  ALL_USERS,
  PROJECT_ADMINS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
  type UserGroup,
} from './project-events.js';
import { type Project } from './project.js';

interface Resource {
  readonly type: string;
  readonly isIn: (project: Project) => boolean;
}

/** What is served below a project, in the order in which clients look for it. A resource without a route is not listed. */
const RESOURCES: readonly Resource[] = [
  { type: 'trackers', isIn: () => true },
  { type: 'svn', isIn: ({ svn }) => svn },
  { type: 'user_groups', isIn: () => true },
];

export function projectRepresentation(project: ProjectView, viewer: ProjectRights) {
  const heading = minimalProject(project);
  return {
    ...heading,
    resources: RESOURCES.filter(({ isIn }) => isIn(project)).map(({ type }) => ({
      type,
      uri: `${heading.uri}/${type}`,
    })),
    // Clients expect an empty list, and an object only where there is something in it.
    additional_informations: [],
    is_member_of: viewer.isMemberOf(project),
    description: project.description,
    additional_fields: [],
    icon: '',
  };
}

/** As repositories and user groups show their project. */
export function minimalProject({ id, label, shortname, status, access }: ProjectView) {
  const heading = { id, uri: `projects/${id}`, label, label_without_icon: label };
  return { ...heading, shortname, status, access, is_template: false };
}

export function projectReference({ id, label }: ProjectView) {
  return { id, uri: `projects/${id}`, label, icon: '' };
}

interface BuiltInGroup {
  readonly shortName: string;
  readonly label: string;
  /** By which clients of Tuleap know the group, in every language. */
  readonly key: string;
}

const BUILT_IN_GROUPS: ReadonlyMap<GroupId, BuiltInGroup> = new Map([
  [ALL_USERS, { shortName: 'all_users', label: 'Anonymous', key: 'ugroup_anonymous_users_name_key' }],
  [
    REGISTERED_USERS,
    { shortName: 'registered_users', label: 'Registered users', key: 'ugroup_registered_users_name_key' },
  ],
  [PROJECT_MEMBERS, { shortName: 'project_members', label: 'Project members', key: 'ugroup_project_members_name_key' }],
  [
    PROJECT_ADMINS,
    { shortName: 'project_admins', label: 'Project administrators', key: 'ugroup_project_admins_name_key' },
  ],
]);

/** Every group of a project, the built-in ones first. */
export const groupsOf = (project: Project): readonly GroupId[] => [
  ...BUILT_IN_GROUPS.keys(),
  ...project.groups.map(({ id }) => id),
];

/** The built-in groups of members and administrators mean another group in each project, so they carry its id. */
export function groupRestId(projectId: number, groupId: GroupId): string {
  return groupId === PROJECT_MEMBERS || groupId === PROJECT_ADMINS ? `${projectId}_${groupId}` : String(groupId);
}

/** Whether the group belongs to one project. Others are in every project. */
export const isOwnGroup = (groupId: GroupId): boolean => !BUILT_IN_GROUPS.has(groupId);

/** The project only where the id names it. */
export interface NamedGroup {
  readonly projectId: number | undefined;
  readonly groupId: GroupId;
}

const GROUP_ID = /^(?:([1-9]\d{0,14})_)?([1-9]\d{0,14})$/;

/** A group as clients name it: `110_3`, `105` or, for the same group as `105`, `110_105`. Undefined for another text. */
export function namedGroup(id: string): NamedGroup | undefined {
  const [, project, group] = GROUP_ID.exec(id) ?? [];
  if (group === undefined) return undefined;
  return { projectId: project === undefined ? undefined : Number(project), groupId: Number(group) };
}

/** What a group's representation has to know about its project. */
export type GroupOwner = Pick<ProjectView, 'id' | 'groups'>;

export type UserGroupRepresentation = Exclude<ReturnType<typeof userGroup>, undefined>;

const byId = new WeakMap<GroupOwner['groups'], ReadonlyMap<GroupId, UserGroup>>();

/** A tracker may name hundreds of groups in each of hundreds of fields. */
function groupsById({ groups }: GroupOwner): ReadonlyMap<GroupId, UserGroup> {
  const known = byId.get(groups) ?? new Map(groups.map((group) => [group.id, group]));
  byId.set(groups, known);
  return known;
}

/** Undefined for a group that the project has no more. */
export function userGroup(project: GroupOwner, groupId: GroupId) {
  const builtIn = BUILT_IN_GROUPS.get(groupId);
  const group = builtIn ?? groupsById(project).get(groupId);
  if (group === undefined) return undefined;
  const id = groupRestId(project.id, groupId);
  const uri = `user_groups/${id}`;
  return {
    id,
    uri,
    label: group.label,
    users_uri: `${uri}/users`,
    short_name: group.shortName,
    key: builtIn?.key ?? group.shortName,
  };
}

/** Groups that the project has no more are left out. */
export const userGroups = (project: GroupOwner, ids: readonly GroupId[]): readonly UserGroupRepresentation[] =>
  ids.flatMap((id) => userGroup(project, id) ?? []);
