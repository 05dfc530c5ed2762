import { type ProjectRights } from '../projects/project-rights.js';
import { type CompiledTracker } from './compiled-tracker.js';
import { type Field } from './field-types/definition.js';
import { type Report } from './report.js';
import { type OpenValuesView } from './tracker-view.js';

export type WriteAction = 'submit' | 'update';

/** What a caller may see and do in trackers. */
export interface TrackerRights extends ProjectRights {
  /** Project and site administrators count. */
  readonly isTrackerAdmin: (tracker: CompiledTracker) => boolean;
  /** Whether the caller would see the tracker if its project were not suspended. */
  readonly knowsTracker: (tracker: CompiledTracker) => boolean;
  /** False too if the tracker is deleted, or if the caller may not see its project. */
  readonly canSeeTracker: (tracker: CompiledTracker) => boolean;
  /** Of a tracker that is visible; one that is not public is for those who administer the tracker. */
  readonly canSeeReport: (tracker: CompiledTracker, report: Report) => boolean;
  readonly canSubmit: (tracker: CompiledTracker) => boolean;
  readonly canUpdate: (tracker: CompiledTracker) => boolean;
  /**
   * An update of the field that a workflow governs takes the right to read it too: whether a step is refused tells what
   * the field holds. At a submission the field holds nothing yet.
   */
  readonly mayWrite: (action: WriteAction, tracker: CompiledTracker, field: Field) => boolean;
  /** The tracker with those fields only that the caller may read, and with what semantics and workflow say of them. */
  readonly readable: (tracker: CompiledTracker) => CompiledTracker;
  /** The same with fields that the caller may write without reading them: those have no label but their id. */
  readonly nameable: (action: WriteAction, tracker: CompiledTracker) => CompiledTracker;
  /** What users added to an open list; nothing of one that the caller may not read. */
  readonly openValues: (tracker: CompiledTracker, fieldId: number) => OpenValuesView['values'];
}
