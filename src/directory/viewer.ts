/** Who sees and does what: the one place that reads groups and permissions. */
import { type ArtifactView } from '../artifacts/artifact-view.js';
import { type FieldValues } from '../artifacts/field-value.js';
import {
  ALL_USERS,
  PROJECT_ADMINS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
  type Project,
} from '../projects/project.js';
import { type ProjectView } from '../projects/project-view.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type Field } from '../trackers/definition.js';
import { type UserView } from '../users/user-view.js';
import { type Directory } from './directory.js';

export type FieldAction = 'read' | 'submit' | 'update';

export interface Viewer {
  /** Null: anonymous. */
  readonly user: UserView | null;
  readonly isSiteAdmin: boolean;
  isMemberOf(project: Project): boolean;
  isAdminOf(project: Project): boolean;
  /** Project and site administrators count. */
  isTrackerAdmin(tracker: CompiledTracker): boolean;
  /** All groups of the project that hold the viewer. */
  groupsIn(project: Project): ReadonlySet<GroupId>;
  canSeeProject(project: ProjectView): boolean;
  /** Of a project that is visible; a deleted tracker is not. */
  canSeeTracker(tracker: CompiledTracker): boolean;
  canSubmit(tracker: CompiledTracker): boolean;
  canUpdate(tracker: CompiledTracker): boolean;
  may(action: FieldAction, tracker: CompiledTracker, field: Field): boolean;
  /** Project, tracker and the artifact's own restriction; false too when its tracker is deleted or unknown. */
  canSeeArtifact(artifact: Pick<ArtifactView, 'trackerId' | 'values'>): boolean;
}

export function viewer(directory: Directory, user: UserView | null): Viewer {
  const isSiteAdmin = user?.siteAdmin ?? false;
  const groupsIn = groupsByProject(user);
  const isAdminOf = (project: Project): boolean => isSiteAdmin || groupsIn(project).has(PROJECT_ADMINS);
  const canSeeProject = (project: ProjectView): boolean =>
    isSiteAdmin ||
    (project.status === 'active' && (project.access === 'public' || groupsIn(project).has(PROJECT_MEMBERS)));

  return {
    user,
    isSiteAdmin,
    isMemberOf: (project) => groupsIn(project).has(PROJECT_MEMBERS),
    isAdminOf,
    groupsIn,
    canSeeProject,
    ...trackerRights(directory, { user, groupsIn, isAdminOf, canSeeProject }),
  };
}

type ProjectRights = Pick<Viewer, 'user' | 'groupsIn' | 'isAdminOf' | 'canSeeProject'>;
type TrackerRights = Omit<Viewer, keyof ProjectRights | 'isSiteAdmin' | 'isMemberOf'>;

function trackerRights(
  directory: Directory,
  { user, groupsIn, isAdminOf, canSeeProject }: ProjectRights,
): TrackerRights {
  const isIn = (project: Project, granted: readonly GroupId[]): boolean => {
    const groups = groupsIn(project);
    return granted.some((group) => groups.has(group));
  };
  const inProject = (tracker: CompiledTracker, holds: (project: ProjectView) => boolean): boolean => {
    const project = directory.project(tracker.view.projectId);
    return project !== undefined && holds(project);
  };
  const isTrackerAdmin = (tracker: CompiledTracker): boolean =>
    inProject(tracker, (project) => {
      const { users, groups } = tracker.view.admins;
      return isAdminOf(project) || (user !== null && (users.includes(user.id) || isIn(project, groups)));
    });
  const isGranted = (tracker: CompiledTracker, granted: readonly GroupId[]): boolean =>
    isTrackerAdmin(tracker) || inProject(tracker, (project) => isIn(project, granted));
  const canSeeTracker = (tracker: CompiledTracker): boolean =>
    !tracker.view.deleted && isGranted(tracker, tracker.view.permissions.access);
  const isUnrestricted = (tracker: CompiledTracker, values: FieldValues): boolean =>
    tracker
      .ofType('perm')
      .every((field) =>
        inProject(tracker, (project) => isUnrestrictedFor(groupsIn(project), values[String(field.id)])),
      );

  return {
    isTrackerAdmin,
    canSeeTracker,
    canSubmit: (tracker) => user !== null && isGranted(tracker, tracker.view.permissions.submit),
    canUpdate: (tracker) => user !== null && isGranted(tracker, tracker.view.permissions.update),
    may: (action, tracker, field) => {
      const granted = field.permissions[action];
      if (granted === null) return isGranted(tracker, trackerGrant(action, tracker));
      return inProject(tracker, (project) => isIn(project, granted));
    },
    canSeeArtifact: ({ trackerId, values }) => {
      const tracker = directory.tracker(trackerId);
      if (tracker === undefined || !inProject(tracker, canSeeProject) || !canSeeTracker(tracker)) return false;
      return isTrackerAdmin(tracker) || isUnrestricted(tracker, values);
    },
  };
}

function groupsByProject(user: UserView | null): Viewer['groupsIn'] {
  const known = new WeakMap<Project, ReadonlySet<GroupId>>();
  return (project) => {
    const groups = known.get(project) ?? groupsOf(user, project);
    known.set(project, groups);
    return groups;
  };
}

/** The tracker's list that a field falls back to when it has none of its own. */
function trackerGrant(action: FieldAction, { view }: CompiledTracker): readonly GroupId[] {
  return action === 'read' ? view.permissions.access : view.permissions[action];
}

function isUnrestrictedFor(groups: ReadonlySet<GroupId>, granted: unknown): boolean {
  if (!Array.isArray(granted) || granted.length === 0) return true;
  return granted.some((group) => typeof group === 'number' && groups.has(group));
}

function groupsOf(user: UserView | null, project: Project): ReadonlySet<GroupId> {
  const groups = new Set<GroupId>([ALL_USERS]);
  if (user === null) return groups;
  groups.add(REGISTERED_USERS);
  const isAdmin = project.admins.includes(user.id);
  if (isAdmin) groups.add(PROJECT_ADMINS);
  if (isAdmin || project.members.includes(user.id)) groups.add(PROJECT_MEMBERS);
  for (const group of project.groups) {
    if (group.members.includes(user.id)) groups.add(group.id);
  }
  return groups;
}
