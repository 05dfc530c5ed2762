import { type End } from './concurrency/concurrency-limit.js';
import { readingTurns, type ReadingTurns } from './logs/long-readings.js';
import { othersTurn, turnTaking } from './concurrency/others-turn.js';
import { type Event, type EventReader, type Recorded, type Revision, type StreamName } from './event-log.js';

/** Most streams are no longer. */
const SLICE = 500;

/** What the reader makes of one event may take a millisecond, as for an artifact with 1,000 fields. */
const PIECE = 5;
/** Of large events there are few in a slice. A reader may hold a piece while the next slice is read. */
const PIECES = 100;

type Log = Pick<EventReader, 'read'>;

type Slices<E extends Event> = AsyncGenerator<readonly Recorded<E>[], void, void>;

/**
 * All events of a stream as it is now, in their order, or those from a revision on, some at a time. Holds one slice, for
 * any length of the stream. Other work of the thread runs in between.
 */
export const streamSlices = <E extends Event>(log: Log, stream: StreamName, start: Revision = 0): Slices<E> =>
  slices(log, stream, { start, ...AT_ONCE });

interface Reader {
  readonly start?: Revision;
  /** The revision after the last that is read, if there is one. Without, all there is. */
  readonly to?: Revision | undefined;
  /** Aborts when nobody waits for the events any longer. */
  readonly gone?: AbortSignal | undefined;
  /** A reading that follows another one of the same request is not refused. */
  readonly follows?: boolean | undefined;
}

/** The same for a request that only reads: its slices take turns with those of all others, and long readings are bounded. */
export const slicesForReader = <E extends Event>(
  log: Log,
  stream: StreamName,
  { start = 0, to, gone, follows }: Reader = {},
): Slices<E> => slices(log, stream, { start, to, gone, ...readingTurns(gone, follows) });

const atOnce = (): Promise<End> => Promise.resolve(() => undefined);
const AT_ONCE: ReadingTurns = { first: atOnce, slice: atOnce, further: atOnce };

interface Reading extends Omit<Reader, 'follows'>, ReadingTurns {
  readonly start: Revision;
}

async function* slices<E extends Event>(log: Log, stream: StreamName, reading: Reading): Slices<E> {
  const { to } = reading;
  if (to !== undefined) {
    yield* slicesUpTo(log, stream, to - 1, reading);
    return;
  }
  const { only, end } = await onlySlice<E>(log, stream, reading);
  if (only === null) yield* slicesUpTo(log, stream, end, reading);
  else yield* piecesOf(only);
}

async function* slicesUpTo<E extends Event>(log: Log, stream: StreamName, end: Revision, reading: Reading): Slices<E> {
  const { start, to, gone } = reading;
  let finish: End | undefined;
  try {
    for (let from = start; from <= end;) {
      gone?.throwIfAborted();
      // Without an end, it is known to have more slices.
      const isFirst = to !== undefined && from === start;
      if (!isFirst) finish ??= await reading.further();
      const finishSlice = await (isFirst ? reading.first() : reading.slice());
      try {
        from = yield* slice<E>(log, stream, { from, to: Math.min(from + SLICE - 1, end) });
      } finally {
        finishSlice();
      }
      await othersTurn();
    }
  } finally {
    finish?.();
  }
}

/** Null if there are more. They are not held: the reader may have to wait for its turn. */
async function onlySlice<E extends Event>(
  log: Log,
  stream: StreamName,
  { start, first }: Reading,
): Promise<{ readonly only: readonly Recorded<E>[] | null; readonly end: Revision }> {
  const finish = await first();
  try {
    const { events, revision: end } = await log.read<E>(stream, { last: SLICE, from: start });
    const isWhole = (events[0]?.revision ?? start) <= start;
    return { only: isWhole ? events : null, end };
  } finally {
    finish();
  }
}

/** Returns the revision after it. */
async function* slice<E extends Event>(
  log: Log,
  stream: StreamName,
  part: { readonly from: Revision; readonly to: Revision },
): AsyncGenerator<readonly Recorded<E>[], Revision, void> {
  const { events, revision } = await log.read<E>(stream, part);
  if (events[0]?.revision !== part.from) {
    throw new Error(`${stream} has lost its events from revision ${part.from} on`);
  }
  yield* piecesOf(events, Math.min(PIECE, Math.ceil(events.length / PIECES)));
  return revision + 1;
}

async function* piecesOf<E>(events: readonly E[], size = PIECE): AsyncGenerator<readonly E[], void, void> {
  const turn = turnTaking();
  for (let from = 0; from < events.length; from += size) {
    await turn();
    yield events.slice(from, from + size);
  }
}

/** The first one; undefined for none. */
export async function findEvent<E extends Event, Found extends Recorded<E>>(
  log: Log,
  stream: StreamName,
  matches: (event: Recorded<E>) => event is Found,
): Promise<Found | undefined> {
  for await (const events of streamSlices<E>(log, stream)) {
    const found = events.find(matches);
    if (found !== undefined) return found;
  }
  return undefined;
}
