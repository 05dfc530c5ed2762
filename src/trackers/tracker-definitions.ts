import { type Platform } from '../platform/platform.js';
import { type PlatformView } from '../platform/platform-view.js';
import { type ProjectDefinitions } from '../projects/project-definitions.js';
import { type CompiledTracker } from './compiled-tracker.js';
import { type OpenValuesView } from './tracker-view.js';

/** Trackers by what names them, and what they refer to. Each throws `unavailable` for a tracker that is out of date. */
export interface TrackerDefinitions extends ProjectDefinitions {
  /** Deleted ones too, marked by `deleted`. */
  tracker(id: number): CompiledTracker | undefined;
  /** Without the deleted. */
  trackerOfField(id: number): CompiledTracker | undefined;
  /** Without those of the deleted. */
  trackerOfReport(id: number): CompiledTracker | undefined;
  /** By label, without the deleted. */
  trackersOf(projectId: number): readonly CompiledTracker[];
  openValues(fieldId: number): OpenValuesView['values'];
  platform(): Platform & Pick<PlatformView, 'revision'>;
}
