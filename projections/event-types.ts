/** All events that this release understands. */
import { requestEventTypes } from '../src/artifacts/idempotency/accepted-request-events.js';
import { artifactEventTypes } from '../src/artifacts/artifact-events.js';
import { linkSettlementEventTypes } from '../src/artifacts/links/link-settlement-events.js';
import { eventRegistry, type Categories } from '../src/core/event-types.js';
import { idsEventTypes } from '../src/core/ids.js';
import { nameEventTypes } from '../src/core/name-reservation.js';
import { deletionEventTypes } from '../src/artifacts/deletions/deletion-count-events.js';
import { fileEventTypes } from '../src/files/file-events.js';
import { projectEventTypes } from '../src/projects/project-events.js';
import { platformEventTypes } from '../src/platform/platform-events.js';
import { svnEventTypes } from '../src/svn/repository-events.js';
import { openValueEventTypes, trackerEventTypes } from '../src/trackers/tracker-events.js';
import { userEventTypes } from '../src/users/user-events.js';

/** By category of streams. */
export const categories = {
  artifact: artifactEventTypes,
  deletions: deletionEventTypes,
  file: fileEventTypes,
  ids: idsEventTypes,
  linkorder: linkSettlementEventTypes,
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
