/** One reading of the log, and the projections that share it. */
import { heapSize } from '../../src/core/bounds.js';
import { condition } from '../../src/core/concurrency/condition.js';
import { messageOf } from '../../src/core/concurrency/retry.js';
import { UnreadableEvent, type Position } from '../../src/core/event-log.js';
import { type UnderstoodBatch } from '../../src/core/logs/understood-log.js';
import { isAfter } from '../engine/generation-progress.js';

/** Batches kept for projections that are behind: at least so many, and more while they take few bytes. */
const FEWEST_BATCHES = 4;
const MOST_SIZE = 8 * 1024 * 1024;
/** Of several batches that are handed over as one. */
const MOST_JOINED = { events: 500, size: 2 * 1024 * 1024 };

interface KeptBatch {
  readonly after: Position | null;
  readonly batch: UnderstoodBatch;
  readonly size: number;
}

interface LastBatches {
  readonly keep: (batch: UnderstoodBatch) => void;
  /** Where what comes next begins. */
  readonly end: () => Position | null;
  /** Where the last of them begin that are kept in any case. */
  readonly nearEnd: () => Position | null;
  /** Whether all that came after the position is there. */
  readonly reachBackTo: (after: Position | null) => boolean;
  /** The kept batches after the position, joined: a projection that is behind catches up in few commits. */
  readonly next: (after: Position | null) => UnderstoodBatch | undefined;
}

function lastBatches(start: Position | null): LastBatches {
  const kept: KeptBatch[] = [];
  let end = start;
  let total = 0;
  const reachBackTo = (after: Position | null): boolean =>
    !isAfter(kept[0] === undefined ? start : kept[0].after, after);
  return {
    keep: (batch) => {
      const size = heapSize(batch);
      kept.push({ after: end, batch, size });
      end = batch.position;
      total += size;
      while (kept.length > FEWEST_BATCHES && total > MOST_SIZE) total -= kept.shift()?.size ?? 0;
    },
    end: () => end,
    nearEnd: () => kept.at(1 - FEWEST_BATCHES)?.after ?? null,
    reachBackTo,
    next: (after) => {
      if (!reachBackTo(after)) return undefined;
      const first = 1 + kept.findLastIndex(({ batch }) => !isAfter(batch.position, after));
      return joined(kept.slice(first));
    },
  };
}

/** Undefined of none. The first one is handed over however large it is. */
function joined(next: readonly KeptBatch[]): UnderstoodBatch | undefined {
  const total = { events: 0, size: 0 };
  const isBeyond = ({ batch, size }: KeptBatch, index: number): boolean => {
    total.events += batch.events.length;
    total.size += size;
    return index > 0 && (total.events > MOST_JOINED.events || total.size > MOST_JOINED.size);
  };
  const beyond = next.findIndex(isBeyond);
  const taken = (beyond === -1 ? next : next.slice(0, beyond)).map(({ batch }) => batch);
  const last = taken.at(-1);
  if (last === undefined || taken.length === 1) return last;
  return {
    ...last,
    events: taken.flatMap(({ events }) => events),
    unsupported: taken.flatMap(({ unsupported }) => unsupported),
  };
}

/** Whom an event concerns that cannot be read comes upon it when reading alone. All others compare their own positions. */
function throwUnlessUnreadable(failure: unknown): void {
  if (failure === null || failure instanceof UnreadableEvent) return;
  throw new Error(messageOf(failure), { cause: failure });
}

/**
 * The projection that a reading waits for. A filling waits for the slowest, so that one pass serves all. A subscription
 * waits for the fastest, so that no projection blocks another. Who falls behind there catches up alone and joins again.
 */
type Pace = 'slowest' | 'fastest';

export interface SharedReading {
  readonly isOver: () => boolean;
  /** Whether it still is to read what comes before the position. */
  readonly isBehind: (after: Position | null) => boolean;
  /** Whether what comes after the position is there, or comes next. */
  readonly isJoinedAt: (after: Position | null) => boolean;
  /** Ends with the reading, at an event that cannot be read, and where the reader is too far behind. */
  readonly read: (after: Position | null, signal: AbortSignal) => AsyncGenerator<UnderstoodBatch, void, void>;
}

function isNextWanted(pace: Pace, readers: ReadonlySet<Reader>, { end, nearEnd }: LastBatches): boolean {
  const isAt = (place: Position | null) => (reader: Reader) => !isAfter(place, reader.position);
  return pace === 'fastest' ? [...readers].some(isAt(end())) : [...readers].every(isAt(nearEnd()));
}

interface Reader {
  position: Position | null;
}

/** Null once there is no more. */
async function failureOf(
  reading: AsyncIterable<UnderstoodBatch>,
  take: (batch: UnderstoodBatch) => Promise<void>,
): Promise<unknown> {
  try {
    for await (const batch of reading) await take(batch);
    return null;
  } catch (error) {
    return error;
  }
}

export function sharedReading(
  pace: Pace,
  start: Position | null,
  begin: (over: AbortSignal) => AsyncIterable<UnderstoodBatch>,
): SharedReading {
  const batches = lastBatches(start);
  const readers = new Set<Reader>();
  const changed = condition();
  const stopping = new AbortController();
  let isOver = false;
  let failure: unknown = null;

  const keep = async (batch: UnderstoodBatch): Promise<void> => {
    batches.keep(batch);
    changed.notify();
    await changed.until(() => isNextWanted(pace, readers, batches), { signal: stopping.signal });
  };
  void failureOf(begin(stopping.signal), keep).then((error) => {
    [isOver, failure] = [true, error];
    changed.notify();
  });

  const next = async (after: Position | null, signal: AbortSignal): Promise<UnderstoodBatch | undefined> => {
    await changed.until(() => isOver || batches.next(after) !== undefined || !batches.reachBackTo(after), { signal });
    if (signal.aborted) return undefined;
    const batch = batches.next(after);
    if (batch === undefined && isOver) throwUnlessUnreadable(failure);
    return batch;
  };
  const hasEnded = (): boolean => isOver || stopping.signal.aborted;
  const isBehind = (after: Position | null): boolean => isAfter(after, batches.end());
  return {
    isOver: hasEnded,
    isBehind,
    isJoinedAt: (after) => !hasEnded() && !isBehind(after) && batches.reachBackTo(after),
    read: async function* (after, signal) {
      const reader = { position: after };
      readers.add(reader);
      try {
        for (let batch = await next(after, signal); batch !== undefined; batch = await next(reader.position, signal)) {
          yield batch;
          reader.position = batch.position;
          changed.notify();
        }
      } finally {
        readers.delete(reader);
        if (readers.size === 0) stopping.abort();
        changed.notify();
      }
    },
  };
}
