/** Whether the log still holds what a generation reflects. A log that was restored to an older state does not. */
import { type EventReader, type Position } from '../../src/core/event-log.js';
import { type Reached } from '../../src/core/projection.js';
import { PermanentError } from '../../src/core/concurrency/retry.js';

/** What a checkpoint expects of the log, and what the log has. */
export interface Missing {
  readonly position: Position;
  /** Null where the log refuses the position by itself. */
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

/** Throws NotHeld if another event than that of a generation stands at its position, or none. */
export async function assertHeld(
  log: Pick<EventReader, 'eventAt'>,
  projection: string,
  { position, event: expected }: Reached,
): Promise<void> {
  if (position === null) return;
  const found = await log.eventAt(position);
  if (found !== expected) throw new NotHeld(projection, { position, expected, found });
}
