import { type Event, type Revision, type StreamName } from '../../core/event-log.js';
import { type EventTypes } from '../../core/event-types.js';

/** `deletionId`: the command that deletes the artifact on the count's behalf. */
export interface DeletionCount {
  readonly artifactId: number;
  readonly deletionId: string;
  readonly at: string;
  /** The only revision of the artifact that the deletion is for; left out for any. */
  readonly upon?: Revision;
}

/**
 * Stored for ever: extend, never rename. `counted`: the counts of 24 hours that stand after the event, the latest first;
 * left out where they are many, and by earlier releases.
 */
export type DeletionEvent =
  | Event<'DeletionCounted', DeletionCount & { userId: number; counted?: readonly DeletionCount[] }>
  /** Another user had deleted the artifact, or its revision was no longer the one of the count: the count is void. */
  | Event<
      'DeletionReleased',
      { userId: number; artifactId: number; deletionId: string; counted?: readonly DeletionCount[] }
    >;

export const deletionEventTypes: EventTypes<DeletionEvent> = { DeletionCounted: [], DeletionReleased: [] };

export const deletionsStream = (userId: number): StreamName => `deletions-${userId}`;
