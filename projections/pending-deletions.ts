import { type ArtifactEvent } from '../src/artifacts/artifact-events.js';
import { effect, type Projection } from '../src/core/projection.js';
import { type DeletionEvent } from '../src/artifacts/deletions/deletion-count-events.js';
import {
  PENDING_DELETIONS,
  pendingArchiveViews,
  pendingDeletionViews,
} from '../src/artifacts/deletions/pending-deletions-view.js';

/** Steps of deletions that are still to be done: what a recovery has to carry forward. */
export const pendingDeletions: Projection<ArtifactEvent | DeletionEvent> = {
  name: PENDING_DELETIONS,
  version: 2,
  models: [pendingDeletionViews.name, pendingArchiveViews.name],
  when: {
    DeletionCounted: ({ data: { deletionId: id, userId, artifactId, at, upon } }) => [
      effect(pendingDeletionViews, id, () => ({ id, userId, artifactId, at, ...(upon !== undefined && { upon }) })),
    ],
    DeletionReleased: ({ data }) => [effect(pendingDeletionViews, data.deletionId, () => null)],

    ArtifactDeleted: ({ data: { artifactId: id, toArchive }, metadata: { commandId, at } }) => [
      effect(pendingDeletionViews, commandId, () => null),
      effect(pendingArchiveViews, id, () => (toArchive === undefined ? null : { id, at })),
    ],
    ArtifactArchived: ({ data }) => [effect(pendingArchiveViews, data.artifactId, () => null)],
  },
};
