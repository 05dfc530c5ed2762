import { type Event, type StreamName } from '../../core/event-log.js';
import { type EventTypes } from '../../core/event-types.js';

/** Stored for ever: extend, never rename. `deletionId`: the command that deletes the artifact on the count's behalf. */
export type DeletionEvent =
  | Event<'DeletionCounted', { userId: number; artifactId: number; deletionId: string; at: string }>
  /** Another user had deleted the artifact: the count is void. */
  | Event<'DeletionReleased', { userId: number; artifactId: number; deletionId: string }>;

export const deletionEventTypes: EventTypes<DeletionEvent> = { DeletionCounted: [], DeletionReleased: [] };

export const deletionsStream = (userId: number): StreamName => `deletions-${userId}`;
