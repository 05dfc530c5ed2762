/** Whether the log still holds what a generation reflects. A log that was restored to an older state does not. */
import { type EventReader, type Position } from '../../src/core/event-log.js';
import { type Reached } from '../../src/core/projection.js';
import { PermanentError } from '../../src/core/concurrency/retry.js';

/** What a checkpoint expects of the log, and what the log has. */
export interface Missing {
  readonly position: Position;
  /** Null in a checkpoint of a release that did not record the event. */
  readonly expected: string | null;
  readonly found: string | null;
}

export class NotHeld extends PermanentError {
  override readonly name = 'NotHeld';
  readonly missing: Missing;

  constructor(projection: string, missing: Missing) {
    super(`The log does not hold the event that ${projection} stands at, position ${missing.position}`);
    this.missing = missing;
  }
}

/**
 * The event at the position of a generation, null before the first. Throws NotHeld if the generation stands at another
 * one. Where the generation names none, it may be REMOVED: older releases stored the positions of others' events.
 */
export async function heldEvent(
  log: Pick<EventReader, 'eventAt'>,
  projection: string,
  { position, event }: Reached,
): Promise<string | null> {
  if (position === null) return null;
  const found = await log.eventAt(position);
  const isHeld = event === null ? found !== null : found === event;
  if (!isHeld) throw new NotHeld(projection, { position, expected: event, found });
  return found;
}
