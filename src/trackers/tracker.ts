/** The rules of a tracker. A file of its own because the read model folds the same events. */
import { isDeepStrictEqual } from 'node:util';
import { exceeds, MAX_LABELS } from '../core/bounds.js';
import { type Decider } from '../core/decider.js';
import { Problem } from '../core/problem.js';
import { allFields, type Field, type Semantics, type Workflow } from './field-types/definition.js';
import { type Report } from './report.js';
import { type TrackerDefinition, type TrackerEvent, type TrackerHeading } from './tracker-events.js';

type Rights = Pick<TrackerDefinition, 'admins' | 'permissions'>;

export type TrackerCommand =
  | (TrackerDefinition & { readonly type: 'DefineTracker'; readonly trackerId: number })
  | (TrackerHeading & { readonly type: 'RenameTracker'; readonly trackerId: number })
  | { readonly type: 'ChangeTrackerFields'; readonly trackerId: number; readonly fields: readonly Field[] }
  | (Rights & { readonly type: 'ChangeTrackerPermissions'; readonly trackerId: number })
  | { readonly type: 'ChangeTrackerSemantics'; readonly trackerId: number; readonly semantics: Semantics }
  | { readonly type: 'ChangeTrackerWorkflow'; readonly trackerId: number; readonly workflow: Workflow | null }
  | { readonly type: 'ChangeTrackerReports'; readonly trackerId: number; readonly reports: readonly Report[] }
  | { readonly type: 'DeleteTracker'; readonly trackerId: number };

export interface Tracker extends TrackerDefinition {
  /** Left out: none was ever named. */
  readonly reports?: readonly Report[];
  readonly deleted: boolean;
}

export const trackerDecider: Decider<Tracker | null, TrackerCommand, TrackerEvent> = {
  initialState: null,

  decide(command, tracker) {
    if (command.type === 'DefineTracker') return define(command, tracker);
    if (tracker === null) throw new Problem('not-found', 'No such tracker');
    if (command.type === 'DeleteTracker') {
      return tracker.deleted ? [] : [{ type: 'TrackerDeleted', data: { trackerId: command.trackerId } }];
    }
    if (tracker.deleted) throw new Problem('not-found', 'The tracker is deleted');
    return change(command, tracker);
  },

  evolve(tracker, event) {
    if (event.type === 'TrackerDefined') return { ...definitionOf(event.data), deleted: false };
    return tracker && changed(tracker, event);
  },
};

function changed(tracker: Tracker, { type, data }: Exclude<TrackerEvent, { type: 'TrackerDefined' }>): Tracker {
  switch (type) {
    case 'TrackerRenamed':
      return { ...tracker, label: data.label, description: data.description, color: data.color };
    case 'TrackerFieldsChanged':
      return { ...tracker, fields: data.fields };
    case 'TrackerPermissionsChanged':
      return { ...tracker, admins: data.admins, permissions: data.permissions };
    case 'TrackerSemanticsChanged':
      return { ...tracker, semantics: data.semantics };
    case 'TrackerWorkflowChanged':
      return { ...tracker, workflow: data.workflow };
    case 'TrackerReportsChanged':
      return { ...tracker, reports: data.reports };
    case 'TrackerDeleted':
      return { ...tracker, deleted: true };
  }
}

const definitionOf = (source: TrackerDefinition): TrackerDefinition => ({
  projectId: source.projectId,
  itemName: source.itemName,
  label: source.label,
  description: source.description,
  color: source.color,
  admins: source.admins,
  permissions: source.permissions,
  fields: source.fields,
  semantics: source.semantics,
  workflow: source.workflow,
});

function define(
  command: Extract<TrackerCommand, { type: 'DefineTracker' }>,
  tracker: Tracker | null,
): readonly TrackerEvent[] {
  const { trackerId, projectId, itemName } = command;
  if (tracker === null) {
    refuseLongLists(command.fields, []);
    return [{ type: 'TrackerDefined', data: { trackerId, ...definitionOf(command) } }];
  }
  if (tracker.projectId === projectId && tracker.itemName === itemName) return [];
  throw new Problem('conflict', 'The tracker exists already');
}

type Change = Exclude<TrackerCommand, { type: 'DefineTracker' | 'DeleteTracker' }>;

function change(command: Change, tracker: Tracker): readonly TrackerEvent[] {
  const event = changeEvent(command);
  if (command.type === 'ChangeTrackerFields') refuseLongLists(command.fields, tracker.fields);
  const before = { reports: [], ...tracker };
  return isDeepStrictEqual(trackerDecider.evolve(before, event), before) ? [] : [event];
}

/** Values that are hidden count: artifacts may hold them. */
function refuseLongLists(fields: readonly Field[], held: readonly Field[]): void {
  const before = new Map(allFields(held).map(({ id, values = [] }) => [id, values.length]));
  const long = allFields(fields).filter(({ id, values = [] }) => exceeds(MAX_LABELS, values.length, before.get(id)));
  if (long.length === 0) return;
  throw new Problem('invalid', `A list holds at most ${MAX_LABELS} labels: ${long.map(({ name }) => name).join(', ')}`);
}

function changeEvent(command: Change): TrackerEvent {
  const { trackerId } = command;
  switch (command.type) {
    case 'RenameTracker': {
      const { label, description, color } = command;
      return { type: 'TrackerRenamed', data: { trackerId, label, description, color } };
    }
    case 'ChangeTrackerFields':
      return { type: 'TrackerFieldsChanged', data: { trackerId, fields: command.fields } };
    case 'ChangeTrackerPermissions': {
      const { admins, permissions } = command;
      return { type: 'TrackerPermissionsChanged', data: { trackerId, admins, permissions } };
    }
    case 'ChangeTrackerSemantics':
      return { type: 'TrackerSemanticsChanged', data: { trackerId, semantics: command.semantics } };
    case 'ChangeTrackerWorkflow':
      return { type: 'TrackerWorkflowChanged', data: { trackerId, workflow: command.workflow } };
    case 'ChangeTrackerReports':
      return { type: 'TrackerReportsChanged', data: { trackerId, reports: command.reports } };
  }
}
