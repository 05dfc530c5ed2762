import { othersTurn } from './concurrency/others-turn.js';
import { type Event, type EventReader, type Recorded, type Revision, type StreamName } from './event-log.js';

/** Most streams are no longer. */
const SLICE = 500;

/**
 * All events of a stream as it is now, in their order, or those from a revision on. Holds at most two slices, for any
 * length of the stream. Other work of the thread runs in between.
 */
export async function* streamSlices<E extends Event>(
  log: Pick<EventReader, 'read'>,
  stream: StreamName,
  start: Revision = 0,
): AsyncGenerator<readonly Recorded<E>[], void, void> {
  const { events: last } = await log.read<E>(stream, { last: SLICE, from: start });
  const [first] = last;
  if (first === undefined) return;
  for (let from = start; from < first.revision;) {
    const to = Math.min(from + SLICE, first.revision) - 1;
    const { events, revision } = await log.read<E>(stream, { from, to });
    if (events.length === 0) throw new Error(`${stream} has lost its events from revision ${from} on`);
    yield events;
    from = revision + 1;
    await othersTurn();
  }
  yield last;
}

/** The first one; undefined for none. */
export async function findEvent<E extends Event, Found extends Recorded<E>>(
  log: Pick<EventReader, 'read'>,
  stream: StreamName,
  matches: (event: Recorded<E>) => event is Found,
): Promise<Found | undefined> {
  for await (const events of streamSlices<E>(log, stream)) {
    const found = events.find(matches);
    if (found !== undefined) return found;
  }
  return undefined;
}
