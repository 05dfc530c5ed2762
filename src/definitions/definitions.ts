/**
 * The definitions that every request needs — users, projects, trackers, settings — held in memory and refreshed as
 * their read models change.
 */
import { type TrackerDefinitions } from '../trackers/tracker-definitions.js';

/**
 * Throws `unavailable` if a definition is out of date, because its stream is marked: it must neither grant access nor
 * look missing. Users are the exception: others may still name them.
 */
export type Definitions = TrackerDefinitions;
