/**
 * The definitions that every request needs — users, projects, trackers, settings — held in memory and refreshed as
 * their read models change.
 */
import { type Platform } from '../platform/platform-events.js';
import { type ProjectView } from '../projects/project-view.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type OpenValuesView } from '../trackers/tracker-view.js';
import { type UserDirectory } from '../users/user-directory.js';

/**
 * Throws `unavailable` where a definition is out of date, because its stream is marked: nobody is let in, or told that
 * there is nothing, because of it. Users are the exception: others may still name them.
 */
export interface Directory extends UserDirectory {
  project(id: number): ProjectView | undefined;
  projectNamed(shortname: string): ProjectView | undefined;
  /** Of the project's own groups. */
  projectOfGroup(id: number): ProjectView | undefined;
  /** By id. Throws if one of them is marked: for one project, ask for that one. */
  projects(): readonly ProjectView[];
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
