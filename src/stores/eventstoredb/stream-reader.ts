import { type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type Batch, type Position, type Recorded } from '../../core/event-log.js';
import { type Names, ownStream, positionIn, recorded, type Resolved, weightOf } from './codec.js';
import { IdleTimeout, TransientError } from './errors.js';

export type Source = Readable & ({ cancel(): Promise<void> } | { unsubscribe(): Promise<void> });

export function cancel(source: Source): void {
  ('cancel' in source ? source.cancel() : source.unsubscribe()).catch(() => undefined);
}

export function silent(idleMs: number): IdleTimeout {
  return new IdleTimeout(`EventStoreDB has sent nothing for ${idleMs} ms`);
}

/** What the server sends in answer to a reading or a subscription, taken piece by piece, so that it waits for us. */
export interface StreamReader {
  /** The next one, or null at the end. Rejects with IdleTimeout when nothing, no sign of life either, comes for so long. */
  readonly next: (idleMs: number) => Promise<Resolved | null>;
  /** The next one if it is here, or as good as. */
  readonly ready: () => Promise<Resolved | null>;
  /** A sign of life has come. */
  readonly alive: () => void;
  /** Cancels the call unless it has ended. Safe at any time, and has to be called at some time. */
  readonly stop: () => void;
}

/** How many events may wait in each of the stages between the socket and us. */
export const BUFFER = { highWaterMark: 32 };

/** Fails once the connection is lost, or the reading is over. */
export function streamReader(source: Source, lost: AbortSignal, over: AbortSignal): StreamReader {
  const { alive, life } = signsOfLife();
  let failure: Error | undefined;
  let [isEnded, isStopped] = [false, false];

  const fail = (error: Error): void => {
    failure ??= error;
    alive();
  };
  const stop = (): void => {
    if (isStopped) return;
    isStopped = true;
    for (const signal of [lost, over]) signal.removeEventListener('abort', abort);
    if (!isEnded) cancel(source);
    // Left unread, the client would count the reading as one that goes on.
    source.off('readable', alive);
    source.resume();
  };
  const abort = (): void => {
    fail(lost.aborted ? (lost.reason as Error) : new TransientError('The reading was aborted'));
    stop();
  };
  const take = (): Resolved | null => (isStopped ? null : (source.read() as Resolved | null));
  const next = async (idleMs: number): Promise<Resolved | null> => {
    for (;;) {
      const item = take();
      if (item !== null) return item;
      if (failure !== undefined) throw failure;
      if (isEnded) return null;
      await life(idleMs);
    }
  };
  const ready = async (): Promise<Resolved | null> => {
    const item = take();
    if (item !== null) return item;
    await setImmediate();
    return take();
  };

  source.on('readable', alive);
  source.on('end', () => {
    isEnded = true;
    alive();
  });
  // Stays for ever: ignores errors after the reading has ended.
  source.on('error', fail);
  source.on('close', () => {
    if (!isEnded) fail(new TransientError('The reading was cut off'));
  });
  for (const signal of [lost, over]) signal.addEventListener('abort', abort);
  if (lost.aborted || over.aborted) abort();
  return { next, ready, alive, stop };
}

/** `life` waits for the next call of `alive`, so long at most. */
function signsOfLife() {
  let wake = (): void => undefined;
  return {
    alive: (): void => {
      wake();
    },
    life: (idleMs: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(silent(idleMs));
        }, idleMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

/** What a batch looks at, at most: so much that it fits between two of a thread's other duties. */
const BATCH_EVENTS = 500;
const BATCH_WEIGHT = 2 * 1024 * 1024;

export interface BatchSource {
  /** Gives the next event, waiting for it as long as is right; null at the end. */
  readonly next: () => Promise<Resolved | null>;
  /** The next one if it is here: with it a batch goes out as soon as there is no more, rather than when it is full. */
  readonly ready?: () => Promise<Resolved | null>;
}

/** What was read of the server's log. */
interface ScannedEvents {
  /** Null if no event of this log is in it. */
  readonly batch: Batch | null;
  /** Of the last event of any log: a reading that breaks off continues after it. */
  readonly scanned: Position;
}

interface Filling {
  readonly events: Recorded[];
  /** The last event of this log, wanted or not. */
  last: Pick<Batch, 'position' | 'event'> | null;
  scanned: Position | null;
  looked: number;
  weight: number;
}

/** Up to the end of what is sent. An error waits until the events before it have been handed over. */
export async function* batches(
  from: BatchSource,
  log: Names,
  leftOut: readonly string[],
  after: Position | null,
): AsyncGenerator<ScannedEvents, void, void> {
  for (let start = after; ;) {
    const filling: Filling = { events: [], last: null, scanned: start, looked: 0, weight: 0 };
    const add = (resolved: Resolved): void => {
      addTo(filling, resolved, log, leftOut);
    };
    const outcome = await fill(filling, from, add).catch((error: unknown) => ({ error }));
    const { events, last, scanned, looked } = filling;
    if (looked > 0 && scanned !== null) yield { batch: last && { events, ...last }, scanned };
    if (outcome === 'ended') return;
    if (typeof outcome === 'object') throw outcome.error;
    start = scanned;
  }
}

async function fill(
  filling: Readonly<Filling>,
  { next, ready }: BatchSource,
  add: (resolved: Resolved) => void,
): Promise<'ended' | 'filled'> {
  while (filling.looked < BATCH_EVENTS && filling.weight < BATCH_WEIGHT) {
    const more = filling.looked > 0 ? ready : undefined;
    const resolved = await (more ?? next)();
    if (resolved === null) return more === undefined ? 'ended' : 'filled';
    add(resolved);
  }
  return 'filled';
}

function addTo(filling: Filling, resolved: Resolved, log: Names, leftOut: readonly string[]): void {
  const position = positionIn(resolved);
  // The server begins a reading with the event at the given position itself.
  if (position === undefined || (filling.scanned !== null && position <= filling.scanned)) return;
  const { event } = resolved;
  const stream = ownStream(resolved, log);
  if (event !== undefined && stream !== null) {
    if (!leftOut.includes(event.type)) filling.events.push(recorded(stream, event));
    filling.last = { position, event: event.id };
  }
  filling.weight += weightOf(event?.data);
  filling.looked += 1;
  filling.scanned = position;
}
