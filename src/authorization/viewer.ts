/**
 * What a caller may see and do: the one place that reads groups and permissions. What a caller may not see does not
 * exist for that caller. Callers of this module use its visible part, and have no rules of their own.
 */
import { type FieldValues, type Link } from '../trackers/field-types/field-value.js';
import { linksOf } from '../trackers/field-types/canonical.js';
import { isReadOnly } from '../trackers/field-types/read-only-types.js';
import { PROJECT_ADMINS, PROJECT_MEMBERS, type GroupId, type Membership } from '../projects/project-events.js';
import { type Project } from '../projects/project.js';
import { type ProjectRights } from '../projects/project-rights.js';
import { type ProjectView } from '../projects/project-view.js';
import { type CompiledTracker, type Shown } from '../trackers/compiled-tracker.js';
import { type Field } from '../trackers/field-types/definition.js';
import { type TrackerRights, type WriteAction } from '../trackers/tracker-rights.js';
import { suspended, userRequired, type UserRights } from '../users/user-rights.js';
import { type UserView } from '../users/user-view.js';
import { type Definitions } from '../definitions/definitions.js';
import { groupsOf, isUnrestrictedFor } from './groups-of.js';

type Stored = Readonly<{ trackerId: number; values: FieldValues }>;
type Holder = Readonly<{ artifact: Stored; isDeleted: boolean }>;
type Uploaded = Readonly<{ owner: number; claim: Readonly<{ fieldId: number; settled: boolean }> | null }>;

export interface Viewer extends TrackerRights {
  /** Fields that limit which artifacts of a visible tracker the viewer sees. */
  limitsOf(tracker: CompiledTracker): readonly Field[];
  /** Project, tracker and the artifact's own restriction; false too when its tracker is deleted or unknown. */
  readonly canSeeArtifact: (artifact: Stored) => boolean;
  /** Whether the viewer may read the history of the artifact after its deletion, or after that of its tracker. */
  readonly canAudit: (artifact: Stored) => boolean;
  /** All links in fields that the viewer may read, whether the other end is visible or not. */
  linksOf(artifact: Stored): readonly Link[];
  /** `holder`: which the file is attached to; null without one. Its files are as visible as its history. */
  canSeeFile(file: Uploaded, holder: Holder | null): boolean;
}

export function viewer(definitions: Definitions, user: UserView | null): Viewer {
  /** Read anew each time, as groups and permissions are. Throws once the reader may not ask for anything. */
  const present: UserRights['present'] = () => {
    if (user === null && !definitions.platform().anonymousAccess) throw userRequired();
    const now = user && (definitions.user(user.id) ?? user);
    if (now?.status === 'suspended') throw suspended();
    return now;
  };
  const isSiteAdmin = (): boolean => present()?.siteAdmin ?? false;
  const groupsIn = (project: Membership): ReadonlySet<GroupId> => groupsOf(present(), project);
  const isAdminOf = (project: Membership): boolean => isSiteAdmin() || groupsIn(project).has(PROJECT_ADMINS);
  const knowsProject = (project: ProjectView): boolean =>
    isSiteAdmin() || project.access === 'public' || groupsIn(project).has(PROJECT_MEMBERS);
  const projectRights: ProjectRights = {
    user,
    present,
    isSiteAdmin,
    canSeeAddresses: user !== null,
    isMemberOf: (project) => groupsIn(project).has(PROJECT_MEMBERS),
    isAdminOf,
    groupsIn,
    knowsProject,
    canSeeProject: (project) => isSiteAdmin() || (project.status === 'active' && knowsProject(project)),
    canSeeMembers: isAdminOf,
    isTrackerAdminIn: ({ id }) => definitions.trackersOf(id).some((tracker) => trackerRights.isTrackerAdmin(tracker)),
  };
  const trackerRights: TrackerRights = { ...projectRights, ...rightsInTrackers(definitions, projectRights) };
  return { ...trackerRights, ...artifactRights(definitions, trackerRights) };
}

type RightsInTrackers = Omit<TrackerRights, keyof ProjectRights>;

function rightsInTrackers(definitions: Definitions, rights: ProjectRights): RightsInTrackers {
  const { user, present, groupsIn, isAdminOf, knowsProject, canSeeProject } = rights;
  const isIn = (project: Project, granted: readonly GroupId[]): boolean =>
    granted.some((group) => groupsIn(project).has(group));
  const inProject = (tracker: CompiledTracker, holds: (project: ProjectView) => boolean): boolean => {
    const project = definitions.project(tracker.view.projectId);
    return project !== undefined && holds(project);
  };
  const isTrackerAdmin = (tracker: CompiledTracker): boolean =>
    inProject(tracker, (project) => {
      const { users, groups } = tracker.view.admins;
      return isAdminOf(project) || (user !== null && (users.includes(user.id) || isIn(project, groups)));
    });
  const isGranted = (tracker: CompiledTracker, granted: readonly GroupId[]): boolean =>
    isTrackerAdmin(tracker) || inProject(tracker, (project) => isIn(project, granted));
  const isReached = (tracker: CompiledTracker): boolean =>
    !tracker.view.deleted && isGranted(tracker, tracker.view.permissions.access);
  const mayRead = (tracker: CompiledTracker, { permissions: { read } }: Field): boolean =>
    inProject(tracker, (project) => isIn(project, read));
  const mayWrite: TrackerRights['mayWrite'] = (action, tracker, field) => {
    const { id, type, permissions } = field;
    const isGoverned = action === 'update' && tracker.view.workflow?.field === id;
    if (isReadOnly(type) || (isGoverned && !mayRead(tracker, field))) return false;
    const granted = permissions[action];
    if (granted === null) return isGranted(tracker, tracker.view.permissions[action]);
    return inProject(tracker, (project) => isIn(project, granted));
  };

  const nameableFor = (action: WriteAction) =>
    trackerCache(definitions, present, (tracker, field) => {
      if (mayRead(tracker, field)) return 'whole';
      return mayWrite(action, tracker, field) ? 'nameless' : 'nothing';
    });
  const nameable = { submit: nameableFor('submit'), update: nameableFor('update') };
  const readable = trackerCache(definitions, present, (tracker, field) =>
    mayRead(tracker, field) ? 'whole' : 'nothing',
  );

  return {
    isTrackerAdmin,
    knowsTracker: (tracker) => inProject(tracker, knowsProject) && isReached(tracker),
    canSeeTracker: (tracker) => inProject(tracker, canSeeProject) && isReached(tracker),
    canSeeReport: (tracker, { isPublic }) => isPublic || isTrackerAdmin(tracker),
    canSubmit: (tracker) => user !== null && isGranted(tracker, tracker.view.permissions.submit),
    canUpdate: (tracker) => user !== null && isGranted(tracker, tracker.view.permissions.update),
    mayWrite,
    readable,
    nameable: (action, tracker) => nameable[action](tracker),
    openValues: (tracker, fieldId) =>
      readable(tracker).fieldById(fieldId) === undefined ? [] : definitions.openValues(fieldId),
  };
}

function artifactRights(
  definitions: Definitions,
  { user, groupsIn, isAdminOf, canSeeProject, canSeeTracker, isTrackerAdmin, readable }: TrackerRights,
): Omit<Viewer, keyof TrackerRights> {
  const limitsOf = (tracker: CompiledTracker): readonly Field[] =>
    isTrackerAdmin(tracker) ? [] : tracker.ofType('perm');
  const canSeeArtifact = ({ trackerId, values }: Stored): boolean => {
    const tracker = definitions.tracker(trackerId);
    if (tracker === undefined) return false;
    const project = definitions.project(tracker.view.projectId);
    if (project === undefined || !canSeeTracker(tracker)) return false;
    return limitsOf(tracker).every(({ id }) => isUnrestrictedFor(groupsIn(project), values[String(id)]));
  };
  const known = (trackerId: number): CompiledTracker | undefined => {
    const tracker = definitions.tracker(trackerId);
    return tracker && readable(tracker);
  };

  const canAudit = ({ trackerId }: Stored): boolean => {
    const tracker = definitions.tracker(trackerId);
    const project = tracker && definitions.project(tracker.view.projectId);
    if (tracker === undefined || project === undefined || !canSeeProject(project)) return false;
    // The administrators of a deleted tracker itself can no longer be changed.
    return tracker.view.deleted ? isAdminOf(project) : isTrackerAdmin(tracker);
  };

  const canSeeHistory = ({ artifact, isDeleted }: Holder): boolean =>
    canAudit(artifact) || (!isDeleted && canSeeArtifact(artifact));

  return {
    limitsOf,
    canSeeArtifact,
    canAudit,
    linksOf: ({ trackerId, values }) =>
      (known(trackerId)?.ofType('art_link') ?? []).flatMap(({ id }) => linksOf(values[String(id)])),
    canSeeFile: ({ owner, claim }, holder) => {
      if (claim === null || !claim.settled) return user?.id === owner;
      if (holder === null || !canSeeHistory(holder)) return false;
      return known(holder.artifact.trackerId)?.fieldById(claim.fieldId) !== undefined;
    },
  };
}

/** In one cache, of which a viewer has three. Each is made again in microseconds. */
const MOST_REMEMBERED = 100;

interface Restricted {
  /** Weakly: there are many viewers, and what is known of the members of a project lives as long as its view. */
  readonly project: WeakRef<ProjectView>;
  readonly reader: UserView | null;
  readonly made: CompiledTracker;
}

/** What follows from a tracker, its project and the reader is remembered for the three: it is asked for with every artifact. */
function trackerCache(
  definitions: Definitions,
  present: UserRights['present'],
  show: (tracker: CompiledTracker, field: Field) => Shown,
) {
  let known = new WeakMap<CompiledTracker, Restricted>();
  let count = 0;
  return (tracker: CompiledTracker): CompiledTracker => {
    const project = definitions.project(tracker.view.projectId);
    const reader = present();
    const earlier = known.get(tracker);
    if (earlier !== undefined && earlier.project.deref() === project && earlier.reader === reader) return earlier.made;
    const made = tracker.restricted((field) => show(tracker, field));
    if (count === MOST_REMEMBERED) [known, count] = [new WeakMap(), 0];
    if (project !== undefined) known.set(tracker, { project: new WeakRef(project), reader, made });
    count += 1;
    return made;
  };
}
