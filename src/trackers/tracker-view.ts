import { type Revision } from '../core/event-log.js';
import { type Document, type ReadModel } from '../core/read-models.js';
import { type Tracker } from './tracker.js';

export interface TrackerView extends Tracker, Document {
  readonly id: number;
  readonly revision: Revision;
}

/** By field id. */
export interface OpenValuesView extends Document {
  readonly id: number;
  readonly values: readonly { readonly number: number; readonly label: string }[];
}

export const TRACKERS = 'trackers';

export const trackerViews: ReadModel<TrackerView> = { name: TRACKERS, category: 'tracker' };
export const openValuesViews: ReadModel<OpenValuesView> = { name: 'open-values', category: 'openvalues' };
