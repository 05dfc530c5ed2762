/** One reading of the log for all projections of a worker: each event is decoded once. */
import { type EventReader, type Position, type Recorded } from '../../src/core/event-log.js';
import { type EventRegistry } from '../../src/core/event-types.js';
import { understoodReader, type UnderstoodBatch, type UnderstoodReader } from '../../src/core/logs/understood-log.js';
import { isAfter, type AnyProjection } from '../engine/generation-progress.js';
import { type ProjectionsLog } from '../engine/projector-reports.js';
import { sharedReading, type SharedReading } from './shared-reading.js';

/** The log for these projections. After the shared reading, each projection reads the rest by itself. */
export function sharedReader(
  log: EventReader,
  projections: readonly AnyProjection[],
  eventTypes: EventRegistry,
): ProjectionsLog {
  const understood = understoodReader(log, eventTypes);
  const unused = eventTypes.types.filter((type) => projections.every(({ when }) => !Object.hasOwn(when, type)));
  let filling: SharedReading | null = null;
  let following: SharedReading | null = null;

  /** What is read together, then the rest. */
  async function* readAll(after: Position | null, leftOut: readonly string[], signal = NEVER) {
    if (filling?.isJoinedAt(after) !== true) {
      filling = sharedReading('slowest', after, (over) => understood.readAll(after, unused, over));
    }
    let position = after;
    for await (const batch of partsOf(filling.read(after, signal), after, leftOut)) {
      yield batch;
      position = batch.position;
    }
    if (!signal.aborted) yield* understood.readAll(position, leftOut, signal);
  }

  function followedFrom(after: Position | null): SharedReading {
    // A projection ahead of it does not wait. The others move here once they are equally far.
    if (following === null || following.isOver() || following.isBehind(after)) {
      following = sharedReading('fastest', after, (over) => understood.subscribe(after, unused, over));
    }
    return following;
  }

  /** What is followed together. Then, where others are farther, what lies between, read alone. */
  async function* stretch(after: Position | null, leftOut: readonly string[], signal: AbortSignal) {
    const joined = followedFrom(after);
    const isFollowed = (at: Position | null): boolean => following?.isJoinedAt(at) === true;
    let position = after;
    for await (const batch of partsOf(joined.read(after, signal), after, leftOut)) {
      yield batch;
      position = batch.position;
      if (joined !== following && isFollowed(position)) return;
    }
    if (!signal.aborted && !isFollowed(position)) yield* understood.readAll(position, leftOut, signal);
  }

  async function* subscribe(after: Position | null, leftOut: readonly string[], signal: AbortSignal) {
    let position = after;
    while (!signal.aborted) {
      for await (const batch of stretch(position, leftOut, signal)) {
        yield batch;
        position = batch.position;
      }
    }
  }

  const only = lastKept(projections, (some) => sharedReader(log, some, eventTypes));
  return { ...understood, readAll, subscribe, only };
}

function lastKept(
  projections: readonly AnyProjection[],
  readerFor: (some: readonly AnyProjection[]) => UnderstoodReader,
): ProjectionsLog['only'] {
  let last: { readonly key: string; readonly reader: UnderstoodReader } | undefined;
  return (names) => {
    const some = projections.filter(({ name }) => names.includes(name));
    const key = some.map(({ name }) => name).join(' ');
    if (last?.key !== key) last = { key, reader: readerFor(some) };
    return last.reader;
  };
}

const NEVER = new AbortController().signal;

async function* partsOf(
  batches: AsyncIterable<UnderstoodBatch>,
  after: Position | null,
  leftOut: readonly string[],
): AsyncGenerator<UnderstoodBatch, void, void> {
  const types = new Set(leftOut);
  let position = after;
  for await (const batch of batches) {
    yield partOf(batch, position, types);
    position = batch.position;
  }
}

/** What comes after a position, without the events of some types. */
function partOf(batch: UnderstoodBatch, after: Position | null, leftOut: ReadonlySet<string>): UnderstoodBatch {
  const isWanted = ({ position, type }: Pick<Recorded, 'position' | 'type'>): boolean =>
    isAfter(position, after) && !leftOut.has(type);
  return { ...batch, events: batch.events.filter(isWanted), unsupported: batch.unsupported.filter(isWanted) };
}
