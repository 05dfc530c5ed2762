import { type GroupId } from '../projects/project.js';
import {
  type Field,
  type Semantics,
  type TrackerAdmins,
  type TrackerPermissions,
  type Workflow,
} from '../trackers/definition.js';
import { type TrackerView } from '../trackers/tracker-view.js';
import { type TrackerEntry } from './file-shape.js';
import { refuseDuplicates, resolved, type ProjectResolver } from './resolver.js';
import { wantedFields } from './wanted-fields.js';
import { wantedSemantics, wantedWorkflow } from './wanted-meaning.js';

export interface WantedTracker {
  readonly id: number;
  readonly entry: TrackerEntry;
  readonly present: TrackerView | undefined;
  readonly admins: TrackerAdmins;
  readonly permissions: TrackerPermissions;
  readonly fields: readonly Field[];
  readonly semantics: Semantics;
  readonly workflow: Workflow | null;
}

export function wantedTrackers(
  entries: readonly TrackerEntry[],
  pointer: string,
  resolver: ProjectResolver,
): readonly WantedTracker[] {
  refuseDuplicates(
    entries.map(({ item_name }) => item_name),
    (index) => `${pointer}/${index}/item_name`,
    resolver.complain,
  );
  return entries.map((entry, index) => wantedTracker(entry, `${pointer}/${index}`, resolver));
}

function wantedTracker(entry: TrackerEntry, pointer: string, resolver: ProjectResolver): WantedTracker {
  const trackers = resolver.present.trackersOf(resolver.projectId);
  const present = trackers.find(({ view }) => view.itemName === entry.item_name)?.view;
  const id = present?.id ?? resolver.newId('tracker');
  const form = wantedFields(entry.fields, present?.fields ?? [], `${pointer}/fields`, resolver);
  return {
    id,
    entry,
    present,
    admins: adminsOf(entry.admins, `${pointer}/admins`, resolver),
    permissions: permissionsOf(entry.permissions, `${pointer}/permissions`, resolver),
    fields: form.fields,
    semantics: wantedSemantics(entry.semantics, form, `${pointer}/semantics`, resolver),
    workflow: wantedWorkflow(entry.workflow, present?.workflow ?? null, form, `${pointer}/workflow`, resolver),
  };
}

function permissionsOf(
  permissions: Readonly<Record<keyof TrackerPermissions, readonly string[]>>,
  pointer: string,
  resolver: ProjectResolver,
): TrackerPermissions {
  const groupsOf = (action: keyof TrackerPermissions): readonly GroupId[] =>
    resolved(permissions[action], resolver.groupId, `${pointer}/${action}`, resolver);
  return { access: groupsOf('access'), submit: groupsOf('submit'), update: groupsOf('update') };
}

function adminsOf(names: readonly string[], pointer: string, resolver: ProjectResolver): TrackerAdmins {
  const { userId, groupId, complain } = resolver;
  const users: number[] = [];
  const groups: GroupId[] = [];
  names.forEach((name, index) => {
    const user = userId(name);
    const group = groupId(name);
    if (user === undefined && group === undefined) complain(`${pointer}/${index}`, `is no user and no group: ${name}`);
    if (user !== undefined && group !== undefined) complain(`${pointer}/${index}`, `is a user and a group: ${name}`);
    if (user !== undefined) users.push(user);
    if (group !== undefined) groups.push(group);
  });
  return { users, groups };
}
