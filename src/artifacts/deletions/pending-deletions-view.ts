/** What a crash may have cut off: counts without their deletion, deletions without their archive. */
import { type Revision } from '../../core/event-log.js';
import { type Document, type ReadModel } from '../../core/read-models.js';

export interface PendingDeletionView extends Document {
  /** The command that deletes the artifact. */
  readonly id: string;
  readonly userId: number;
  readonly artifactId: number;
  readonly at: string;
  /** See `DeletionCount`. */
  readonly upon?: Revision;
}

/** By artifact id. */
export interface PendingArchiveView extends Document {
  readonly id: number;
  readonly at: string;
}

export const PENDING_DELETIONS = 'pending-deletions';

export const pendingDeletionViews: ReadModel<PendingDeletionView> = { name: PENDING_DELETIONS };
export const pendingArchiveViews: ReadModel<PendingArchiveView> = { name: 'pending-archives' };
