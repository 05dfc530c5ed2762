/**
 * The definitions that every request needs — users, projects, trackers, settings — held in memory and refreshed as
 * their read models change.
 */
import { type Platform } from '../platform/platform-events.js';
import { type ProjectDirectory } from '../projects/project-directory.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type OpenValuesView } from '../trackers/tracker-view.js';

/**
 * Throws `unavailable` where a definition is out of date, because its stream is marked: nobody is let in, or told that
 * there is nothing, because of it. Users are the exception: others may still name them.
 */
export interface Directory extends ProjectDirectory {
  /** Deleted ones too: `deleted` tells. */
  tracker(id: number): CompiledTracker | undefined;
  /** Without the deleted. */
  trackerOfField(id: number): CompiledTracker | undefined;
  /** By label, without the deleted. */
  trackersOf(projectId: number): readonly CompiledTracker[];
  openValues(fieldId: number): OpenValuesView['values'];
  platform(): Platform;
  /** Grows with every change of any definition: what was derived under another number may be out of date. */
  readonly generation: number;
}
