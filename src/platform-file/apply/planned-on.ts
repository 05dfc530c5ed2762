/** A module of its own, because every start needs it, but few need platform files. */
import { PENDING_NAMES } from '../../names/pending-names-view.js';
import { PLATFORM } from '../../platform/platform-view.js';
import { PROJECTS } from '../../projects/project-view.js';
import { TRACKERS } from '../../trackers/tracker-view.js';
import { USERS } from '../../users/user-view.js';

/** Projections that a plan looks at. */
export const PLANNED_ON: readonly string[] = [USERS, PROJECTS, TRACKERS, PLATFORM];

/** And that of creations that were cut off, which also follows streams that no plan looks at. */
export const SETTLED: readonly string[] = [...PLANNED_ON, PENDING_NAMES];
