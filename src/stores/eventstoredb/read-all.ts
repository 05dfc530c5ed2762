import { START, streamNameFilter } from '@eventstore/db-client';
import { pauseAfter } from '../../core/concurrency/retry.js';
import { type Batch, InvalidPosition, type Position } from '../../core/event-log.js';
import { type LogPlace } from '../../core/projection.js';
import { type Resolved, storePosition } from './codec.js';
import { Incomplete, IdleTimeout, isInvalidPosition, TransientError } from './errors.js';
import { tryEventAt } from './look.js';
import { retryFor, type StoreContext } from './retry.js';
import { batches, type BatchSource, BUFFER, streamReader, type StreamReader } from './stream-reader.js';

/** What is read of the log: after a position, without these types, until the signal aborts. */
export interface Wanted {
  readonly after: Position | null;
  readonly leftOut: readonly string[];
  readonly signal: AbortSignal;
}

interface Reading extends BatchSource {
  readonly source: StreamReader;
  /** Throws unless the server may have ended it here. */
  readonly ended: () => void;
}

interface Resuming {
  /** Aborts with the signal of the reader, and when the log is closed. */
  readonly over: AbortSignal;
  /** How long failures may last, in milliseconds; any batch begins it anew. */
  readonly patience: number;
  /** The event at `after` is looked at first, so that a reading that breaks off before any batch knows it. */
  readonly looksFirst: boolean;
  /** Reads from the server once, on from where it has got to. So long the first answer may take, in milliseconds. */
  readonly open: (at: () => Position | null, answerMs: number) => Promise<Reading>;
}

/** A reading that breaks off in order looks complete, so the end of the log is read first. */
export function readAll(
  context: StoreContext,
  look: () => Promise<Position | null>,
  wanted: Wanted,
): AsyncGenerator<Batch, void, void> {
  const { connections, timing, closing } = context;
  const over = AbortSignal.any([wanted.signal, closing]);
  const open = async (at: () => Position | null): Promise<Reading> => {
    const end = await look();
    const { client, lost } = connections.current();
    const options = { fromPosition: storeStart(at()), requiresLeader: true } as const;
    const source = streamReader(client.readAll(options, BUFFER), lost, over);
    const ended = (): void => {
      if (isBehind(at(), end)) throw new Incomplete('The reading ended before the end of the log');
    };
    return { source, next: () => source.next(timing.call), ended };
  };
  return resumed(context, wanted, { over, patience: timing.patience, looksFirst: false, open });
}

/**
 * A subscription of the server may end in order, with an error or in silence. The next one begins after the last event
 * handed over. The positions that the server reports of its own are no more than signs of life.
 */
export function subscribe(
  context: StoreContext,
  end: () => Promise<Position | null>,
  wanted: Wanted,
): AsyncGenerator<Batch, void, void> {
  const { timing, closing } = context;
  const over = AbortSignal.any([wanted.signal, closing]);
  const open = (at: () => Position | null, answerMs: number): Promise<Reading> => {
    const source = subscription(context, at(), over);
    let idleMs = Math.max(timing.silence, answerMs);
    // Waits as long as it takes, unless the server keeps silent about what it has.
    const next = async (): Promise<Resolved | null> => {
      for (;;) {
        try {
          return await source.next(idleMs);
        } catch (error) {
          if (!(error instanceof IdleTimeout)) throw error;
          if (isBehind(at(), await end())) {
            throw new TransientError('The subscription is silent though the log has gone on');
          }
        } finally {
          idleMs = timing.silence;
        }
      }
    };
    const ended = (): never => {
      throw new TransientError('EventStoreDB has ended the subscription');
    };
    return Promise.resolve({ source, next, ready: source.ready, ended });
  };
  return resumed(context, wanted, { over, patience: Infinity, looksFirst: true, open });
}

function subscription({ connections, names }: StoreContext, after: Position | null, over: AbortSignal): StreamReader {
  const { client, lost } = connections.current();
  const alive = (): void => {
    source.alive();
  };
  // May let pass what is of another installation, and is sorted out like in any reading.
  const filter = streamNameFilter({ checkpointInterval: 1, checkpointReached: alive, prefixes: [names.prefix] });
  const sent = client.subscribeToAll({ fromPosition: storeStart(after), filter }, BUFFER);
  const source = streamReader(sent, lost, over);
  sent.on('confirmation', alive);
  sent.on('caughtUp', alive);
  return source;
}

function isBehind(position: Position | null, end: Position | null): boolean {
  return end !== null && (position === null || position < end);
}

function storeStart(after: Position | null) {
  return after === null ? START : storePosition(after);
}

/**
 * Reads repeatedly after the last batch, until the end. So it also finds new events, and continues readings that break
 * off. Ends without an error once the signal has aborted. Throws InvalidPosition where the server, restored meanwhile,
 * does not hold the event that was handed over last.
 */
async function* resumed(
  context: StoreContext,
  { after, leftOut, signal }: Wanted,
  { over, patience, looksFirst, open }: Resuming,
): AsyncGenerator<Batch, void, void> {
  let position = after;
  let last: LogPlace | null = after && { position: after, event: null };
  let [isUncertain, inVain, began] = [looksFirst, 0, 0];

  const begin = async function* (): AsyncGenerator<Batch | null, void, void> {
    for (let more = true; more;) {
      more = false;
      began = performance.now();
      const answerMs = answerTime(context.timing.call, inVain);
      if (isUncertain && last !== null) last = await compared(context, last, answerMs);
      isUncertain = false;
      const reading = await open(() => position, answerMs);
      try {
        for await (const { batch, scanned } of batches(reading, context.names, leftOut, position)) {
          [position, last, more, inVain] = [scanned, batch ?? last, more || batch !== null, 0];
          yield batch;
        }
      } finally {
        reading.source.stop();
      }
      reading.ended();
    }
  };
  let reading = begin();
  const next = async (): Promise<IteratorResult<Batch | null, void>> => {
    try {
      return await reading.next();
    } catch (failure) {
      isUncertain = true;
      if (patience === Infinity && performance.now() - began >= context.timing.call) inVain += 1;
      reading = begin();
      throw last !== null && isInvalidPosition(failure) ? new InvalidPosition(last.position) : failure;
    }
  };
  try {
    while (!signal.aborted) {
      const { done, value } = await retryFor(patience, next, context, over);
      if (done === true) return;
      if (value !== null) yield value;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await reading.return();
  }
}

/**
 * A server under load may need longer, so each vain wait lengthens the next. The first does not: two waits of the usual
 * length show a hung server, and lead to another one.
 */
function answerTime(call: number, inVain: number): number {
  return pauseAfter(Math.max(1, inVain), { firstPauseMs: call, longestPauseMs: 8 * call });
}

async function compared(context: StoreContext, { position, event }: LogPlace, answerMs: number): Promise<LogPlace> {
  const found = await tryEventAt(context, position, answerMs);
  if (found === null || (event !== null && found !== event)) throw new InvalidPosition(position);
  return { position, event: found };
}
