/** All events that this release understands. */
import { requestEventTypes } from '../artifacts/idempotency/accepted-request.js';
import { artifactEventTypes } from '../artifacts/artifact-events.js';
import { linkOrderEventTypes } from '../artifacts/links/link-settlement.js';
import { eventRegistry, type Categories } from '../core/event-types.js';
import { idsEventTypes } from '../core/ids.js';
import { nameEventTypes } from '../core/name-reservation.js';
import { deletionEventTypes } from '../artifacts/deletions/deletion-count.js';
import { fileEventTypes } from '../files/file.js';
import { projectEventTypes } from '../projects/project-events.js';
import { platformEventTypes } from '../platform/platform-events.js';
import { svnEventTypes } from '../svn/repository.js';
import { openValueEventTypes, trackerEventTypes } from '../trackers/tracker-events.js';
import { userEventTypes } from '../users/user-events.js';

/** By category of streams. */
export const categories = {
  artifact: artifactEventTypes,
  deletions: deletionEventTypes,
  file: fileEventTypes,
  ids: idsEventTypes,
  linkorder: linkOrderEventTypes,
  name: nameEventTypes,
  openvalues: openValueEventTypes,
  platform: platformEventTypes,
  project: projectEventTypes,
  request: requestEventTypes,
  svn: svnEventTypes,
  tracker: trackerEventTypes,
  user: userEventTypes,
} satisfies Categories;

export const eventTypes = eventRegistry(categories);
