import { BACKWARDS, END, START } from '@eventstore/db-client';
import { type Batch, type Position } from '../../core/event-log.js';
import { batches } from './batches.js';
import { type StoreContext } from './context.js';
import { readOne } from './event-at.js';
import { Incomplete } from './errors.js';
import { storePosition } from './position.js';
import { BUFFER, streamReader } from './stream-reader.js';
import { type Names, positionIn, type Resolved } from './codec.js';
import { resumed } from './resubscribe.js';

/** A reading that breaks off in order looks like a complete one, so the end of the log is looked for first. */
export function readAll(
  context: StoreContext,
  look: () => Promise<Position | null>,
  after: Position | null,
  leftOut: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<Batch, void, void> {
  const { connections, names, timing, closing } = context;
  const over = AbortSignal.any([signal, closing]);

  async function* stretch(from: Position | null) {
    const end = await look();
    let position = from;
    const options = { fromPosition: from === null ? START : storePosition(from), requiresLeader: true } as const;
    const { client, lost } = connections.current();
    const source = streamReader(client.readAll(options, BUFFER), over, lost);
    const gathering = { pull: source, next: () => source.next(timing.call), eager: false };
    try {
      for await (const read of batches(gathering, { names, leftOut, after: from })) {
        position = read.scanned;
        yield read;
      }
    } finally {
      source.stop();
    }
    if (isBehind(position, end)) throw new Incomplete('The reading ended before the end of the log');
  }
  return resumed(context, { after, looksFirst: false, signal, over, patience: timing.patience, stretch });
}

export function isBehind(position: Position | null, end: Position | null): boolean {
  return end !== null && (position === null || position < end);
}

/** What a look at the end of the server's log has found, and how far that log went. */
interface Seen {
  readonly whole: Position;
  readonly end: Position | null;
}

/**
 * Looks once for the position of the last event that is ours. Remembers, so that a look goes back no further than the
 * one before.
 */
export function logEnd(context: StoreContext): () => Promise<Position | null> {
  let seen: Seen | null = null;
  return async () => {
    const found = (await newest(context, seen, 1)) ?? (await newest(context, seen, Number.MAX_SAFE_INTEGER));
    seen = found ?? seen;
    return found?.end ?? null;
  };
}

/** Null when `count` events were not enough, or there are none. */
async function newest(context: StoreContext, seen: Seen | null, count: number): Promise<Seen | null> {
  let whole: Position | undefined;
  for await (const { position, item } of backwards(context, count)) {
    whole ??= position;
    // A log that was restored may end before that.
    if (position === seen?.whole) return { whole, end: seen.end };
    if (isOurs(context.names, item)) return { whole, end: position };
  }
  return count === 1 ? null : foreign(whole);
}

/** Throws where the server ends the reading before so many events, and before the start. */
async function* backwards(context: StoreContext, count: number) {
  const { connections, timing, closing } = context;
  const { client, lost } = connections.current();
  const options = { fromPosition: END, direction: BACKWARDS, maxCount: count, requiresLeader: true } as const;
  const source = streamReader(client.readAll(options, { highWaterMark: 16 }), closing, lost);
  let first: Position | undefined;
  try {
    for (let item = await source.next(timing.call); item !== null; item = await source.next(timing.call)) {
      const position = positionIn(item);
      if (position !== undefined) yield { position, item };
      first = position ?? first;
    }
  } finally {
    source.stop();
  }
  if (count > 1 && first !== undefined) await checkNoneBefore(context, first);
}

function isOurs(names: Names, { event }: Resolved): boolean {
  return event !== undefined && names.inLog(event.streamId) !== null;
}

function foreign(whole: Position | undefined): Seen | null {
  return whole === undefined ? null : { whole, end: null };
}

async function checkNoneBefore(context: StoreContext, first: Position): Promise<void> {
  const found = await readOne(context, { fromPosition: storePosition(first), direction: BACKWARDS });
  const before = found === null ? undefined : positionIn(found);
  if (before !== undefined && before < first) throw new Incomplete('The reading ended before the start of the log');
}
