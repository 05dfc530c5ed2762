import { othersTurn, turnTaking } from './concurrency/others-turn.js';
import { type Event, type EventReader, type Recorded, type Revision, type StreamName } from './event-log.js';

/** Most streams are no longer. */
const SLICE = 500;

/** What the reader makes of one event may take a millisecond, as for an artifact with 1,000 fields. */
const PIECE = 5;

/**
 * All events of a stream as it is now, in their order, or those from a revision on, some at a time. Holds at most two
 * slices, for any length of the stream. Other work of the thread runs in between.
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
    yield* inPieces(events);
    from = revision + 1;
    await othersTurn();
  }
  yield* inPieces(last);
}

async function* inPieces<E>(events: readonly E[]): AsyncGenerator<readonly E[], void, void> {
  const turn = turnTaking();
  for (let from = 0; from < events.length; from += PIECE) {
    await turn();
    yield events.slice(from, from + PIECE);
  }
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
