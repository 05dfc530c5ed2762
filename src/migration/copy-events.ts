import {
  type EventLog,
  type EventReader,
  type Position,
  type Recorded,
  type Revision,
  RevisionConflict,
} from '../core/event-log.js';
import { eventsAfter, mayBeginLater, nameOf } from './events.js';
import { Refused } from './refused.js';

/** Which events of the source: after one position up to another, that one included. */
export interface PositionRange {
  readonly after: Position | null;
  readonly upTo: Position | null;
}

/**
 * One after the other, so that the order of the whole log stays. Each event is an append of its own. The source does
 * not record the borders of its appends, and no client reads the target yet. A process that is killed leaves at most
 * one append under way, of which the next one repeats exactly that.
 */
export async function copyEvents(
  source: EventReader,
  target: EventLog,
  { after, upTo }: PositionRange,
  copied: () => void,
  signal: AbortSignal,
): Promise<void> {
  if (upTo === null || upTo === after) return;
  for await (const event of eventsAfter(source, after, signal)) {
    if (event.position > upTo) return;
    await copy(target, event);
    copied();
  }
}

async function copy(target: EventLog, event: Recorded): Promise<void> {
  const { stream, revision, id, type, data, metadata } = event;
  const mayBeOther = mayBeginLater(stream) && revision > 0;
  try {
    const upon = mayBeOther ? await endBefore(target, event) : revision - 1;
    await target.append(stream, upon, [{ id, type, data }], metadata);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    throw new Refused(
      `The target does not take ${nameOf(event)}: ${error.message}. Does another process write to the target?`,
    );
  }
}

/** Of the stream in the target. The event may stand there already, of an append that was under way when a process was killed. */
async function endBefore(target: EventLog, { stream, id }: Recorded): Promise<Revision> {
  const { events, revision } = await target.read(stream, { last: 1 });
  return events[0]?.id === id ? revision - 1 : revision;
}
