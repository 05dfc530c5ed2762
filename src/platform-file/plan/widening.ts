/** Whether a change lets more people read or write what exists: who is admitted after it and was not before. Pure. */
import { isDeepStrictEqual } from 'node:util';
import {
  ALL_USERS,
  PROJECT_ADMINS,
  PROJECT_MEMBERS,
  REGISTERED_USERS,
  type GroupId,
  type Membership,
} from '../../projects/project-events.js';
import {
  allFields,
  transitionKey,
  type Field,
  type FieldPermissions,
  type TrackerPermissions,
  type Workflow,
} from '../../trackers/field-types/definition.js';
import { type Report } from '../../trackers/report.js';
import { type TrackerDefinition } from '../../trackers/tracker-events.js';

export function widensMembership(before: Membership, after: Membership): boolean {
  const groups = new Map(before.groups.map((group) => [group.id, group]));
  return (
    hasMore(before.admins, after.admins) ||
    hasMore([...before.admins, ...before.members], after.members) ||
    after.groups.some(({ id, members }) => {
      const group = groups.get(id);
      return group !== undefined && hasMore(group.members, members);
    })
  );
}

function hasMore(before: readonly number[], after: readonly number[]): boolean {
  const known = new Set(before);
  return after.some((id) => !known.has(id));
}

export type Rights = Pick<TrackerDefinition, 'admins' | 'permissions'>;

export function widensTracker(before: Rights, after: Rights): boolean {
  const { access, submit, update } = after.permissions;
  return (
    hasMore(before.admins.users, after.admins.users) ||
    admitsMore([...before.admins.groups, PROJECT_ADMINS], after.admins.groups) ||
    admitsMore(withAdmins(before.permissions.access), access) ||
    admitsMore(withAdmins(before.permissions.submit), submit) ||
    admitsMore(withAdmins(before.permissions.update), update)
  );
}

export type Form = Pick<TrackerDefinition, 'admins' | 'permissions' | 'fields'>;

/** A new field holds no value that was hidden before. */
export function widensFields(before: Form, after: Form): boolean {
  const fieldsAfter = new Map(allFields(after.fields).map((field) => [field.id, field]));
  return allFields(before.fields).some((field) => {
    const same = fieldsAfter.get(field.id);
    if (same === undefined) return false;
    // Without its field, the restriction of an artifact no longer holds.
    if (!same.used) return field.used && field.type === 'perm';
    return !field.used || widensField({ field, ...before.permissions }, { field: same, ...after.permissions });
  });
}

interface InTracker extends TrackerPermissions {
  readonly field: Field;
}

function widensField(before: InTracker, after: InTracker): boolean {
  // Where only the lists of the tracker changed, the change of those is what is marked.
  const actions: readonly (keyof FieldPermissions)[] = ['read', 'submit', 'update'];
  return (
    actions.some(
      (action) =>
        !isDeepStrictEqual(before.field.permissions[action], after.field.permissions[action]) &&
        admitsMore(granted(before, action), granted(after, action)),
    ) ||
    (after.field.type === 'perm' && admitsMore(restriction(before.field), restriction(after.field)))
  );
}

/** A field without a list of its own is the tracker's in this. */
function granted({ field, submit, update }: InTracker, action: keyof FieldPermissions): readonly GroupId[] {
  if (action === 'read') return field.permissions.read;
  const ofTracker = action === 'submit' ? submit : update;
  return field.permissions[action] ?? withAdmins(ofTracker);
}

/** The readers of a new artifact without permissions of its own. */
function restriction({ default: groups }: Field): readonly GroupId[] {
  const ids = Array.isArray(groups) ? groups.filter((group) => typeof group === 'number') : [];
  return ids.length === 0 ? [ALL_USERS] : ids;
}

/** Stands for the administrators of the tracker, whom its lists always admit and the lists of a field do not. */
const TRACKER_ADMINS: GroupId = 0;
const withAdmins = (groups: readonly GroupId[]): readonly GroupId[] => [...groups, PROJECT_ADMINS, TRACKER_ADMINS];

function admitsMore(before: readonly GroupId[], after: readonly GroupId[]): boolean {
  const admitted = new Set(before);
  return after.some((group) => !admits(admitted, group));
}

/** Whether all members of the group are admitted, whoever they are. */
export const admits = (admitted: ReadonlySet<GroupId>, group: GroupId): boolean =>
  holding(group).some((wider) => admitted.has(wider));

/** The groups that contain all members of this one. */
function holding(group: GroupId): readonly GroupId[] {
  const narrowToWide = [PROJECT_ADMINS, PROJECT_MEMBERS, REGISTERED_USERS, ALL_USERS];
  const place = narrowToWide.indexOf(group);
  return place === -1 ? [group, REGISTERED_USERS, ALL_USERS] : narrowToWide.slice(place);
}

/** A workflow keeps writers from what it does not list; without one they may do everything. */
export function widensWorkflow(before: Workflow | null, after: Workflow | null): boolean {
  if (before === null) return false;
  if (after?.field !== before.field) return true;
  const known = new Set(before.transitions.map(transitionKey));
  return after.transitions.some((transition) => !known.has(transitionKey(transition)));
}

/** What a report finds each reader may see anyway: it is the report itself that was kept from them. */
export function widensReports(before: readonly Report[], after: readonly Report[]): boolean {
  const hidden = new Set(before.filter(({ isPublic }) => !isPublic).map(({ id }) => id));
  return after.some(({ id, isPublic }) => isPublic && hidden.has(id));
}
