/** How the stores record the event of a checkpoint: with its position, in one text, so that both are of one moment. */
import { type Position } from '../../core/event-log.js';
import { type Reached } from '../../core/projection.js';

/** Sorts as the positions do. Null if there is nothing to record. */
export function recordOf({ position, event }: Reached): string | null {
  return position === null || event === null ? null : `${position} ${event}`;
}

export function recordedEvent(position: Position | null, record: unknown): string | null {
  if (position === null || typeof record !== 'string' || !record.startsWith(`${position} `)) return null;
  return record.slice(position.length + 1);
}
