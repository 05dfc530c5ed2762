import { type Event, type StreamName } from '../core/event-log.js';
import { type EventTypes } from '../core/event-types.js';
import {
  type Field,
  type Semantics,
  type TrackerAdmins,
  type TrackerPermissions,
  type Workflow,
} from './field-types/definition.js';
import { type Report } from './report.js';

export interface TrackerHeading {
  readonly label: string;
  readonly description: string;
  readonly color: string;
}

export interface TrackerDefinition extends TrackerHeading {
  readonly projectId: number;
  readonly itemName: string;
  readonly admins: TrackerAdmins;
  readonly permissions: TrackerPermissions;
  /** The whole form, unused fields included. */
  readonly fields: readonly Field[];
  readonly semantics: Semantics;
  readonly workflow: Workflow | null;
}

/** Stored for ever: extend, never rename. Each event holds the changed part whole. */
export type TrackerEvent =
  | Event<'TrackerDefined', TrackerDefinition & { trackerId: number }>
  | Event<'TrackerRenamed', TrackerHeading & { trackerId: number }>
  | Event<'TrackerFieldsChanged', { trackerId: number; fields: readonly Field[] }>
  | Event<'TrackerPermissionsChanged', { trackerId: number; admins: TrackerAdmins; permissions: TrackerPermissions }>
  | Event<'TrackerSemanticsChanged', { trackerId: number; semantics: Semantics }>
  | Event<'TrackerWorkflowChanged', { trackerId: number; workflow: Workflow | null }>
  | Event<'TrackerReportsChanged', { trackerId: number; reports: readonly Report[] }>
  | Event<'TrackerDeleted', { trackerId: number }>;

/** Labels that users added to an open list. A label keeps its number for ever. */
export type OpenValueEvent = Event<
  'OpenValueAdded',
  { fieldId: number; trackerId: number; number: number; label: string }
>;

export const trackerEventTypes: EventTypes<TrackerEvent> = {
  TrackerDefined: [],
  TrackerRenamed: [],
  TrackerFieldsChanged: [],
  TrackerPermissionsChanged: [],
  TrackerSemanticsChanged: [],
  TrackerWorkflowChanged: [],
  TrackerReportsChanged: [],
  TrackerDeleted: [],
};

export const openValueEventTypes: EventTypes<OpenValueEvent> = { OpenValueAdded: [] };

export const trackerStream = (id: number): StreamName => `tracker-${id}`;
export const openValuesStream = (fieldId: number): StreamName => `openvalues-${fieldId}`;
