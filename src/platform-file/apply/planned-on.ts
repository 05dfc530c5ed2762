/** A module of its own, because every start needs it, but few need platform files. */
import { PENDING_NAMES } from '../../names/pending-names-view.js';
import { PLATFORM } from '../../platform/platform-view.js';
import { PROJECTS } from '../../projects/project-view.js';
import { TRACKERS } from '../../trackers/tracker-view.js';
import { USERS } from '../../users/user-view.js';

/** Projections that a plan looks at. */
export const PLANNED_ON: readonly string[] = [USERS, PROJECTS, TRACKERS, PLATFORM, PENDING_NAMES];
