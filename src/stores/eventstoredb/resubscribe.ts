import { InvalidPosition, type Batch, type Position } from '../../core/event-log.js';
import { type Place } from '../../core/projection.js';
import { type ScannedEvents } from './batches.js';
import { retryFor } from './retry.js';
import { type StoreContext } from './context.js';
import { isInvalidPosition, tryEventAt } from './event-at.js';

export interface Resuming {
  readonly after: Position | null;
  readonly signal: AbortSignal;
  /** Aborts with the signal, and when the log is closed. */
  readonly over: AbortSignal;
  /** How long failures may last; any batch begins it anew. */
  readonly patience: number;
  /** Whether the event at `after` is looked at first, so that a reading that breaks off before any batch knows it. */
  readonly looksFirst: boolean;
  /** Reads from the server once, after a position. So long the first answer may take, in milliseconds. */
  readonly stretch: (after: Position | null, answerMs: number) => AsyncIterable<ScannedEvents>;
}

/**
 * Reads after the last batch handed over, again and again, until there is nothing more: what comes meanwhile is found
 * too, and what breaks off goes on where it was. Ends without an error once the signal has aborted. Throws
 * InvalidPosition where the server, restored meanwhile, does not hold the event that was handed over last.
 */
export async function* resumed(
  context: StoreContext,
  { after, looksFirst, signal, over, patience, stretch }: Resuming,
): AsyncGenerator<Batch, void, void> {
  const allowance = answerTimes(context.timing.call, patience === Infinity);
  let position = after;
  let last: Place | null = after && { position: after, event: null };
  let isUncertain = looksFirst;
  const begin = async function* (): AsyncGenerator<Batch | null, void, void> {
    for (let more = true; more;) {
      more = false;
      const answerMs = allowance.next();
      if (isUncertain && last !== null) last = await compared(context, last, answerMs);
      isUncertain = false;
      for await (const { batch, scanned } of stretch(position, answerMs)) {
        [position, last, more] = [scanned, batch ?? last, more || batch !== null];
        allowance.reset();
        yield batch;
      }
    }
  };
  let reading = begin();
  const next = async (): Promise<IteratorResult<Batch | null, void>> => {
    try {
      return await reading.next();
    } catch (failure) {
      isUncertain = true;
      allowance.failed();
      reading = begin();
      throw failureOf(failure, last);
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

function failureOf(error: unknown, last: Place | null): unknown {
  return last !== null && isInvalidPosition(error) ? new InvalidPosition(last.position) : error;
}

/** The first two tries have as long as any call: so many show that a server hangs, and lead to another one. */
const PLAIN_TRIES = 2;
const MOST_DOUBLINGS = 3;

interface AnswerTimes {
  /** For a try that begins now. */
  readonly next: () => number;
  readonly failed: () => void;
  readonly reset: () => void;
}

/** A server under load may need longer than usual, each time anew: each try that waited in vain makes the next wait longer. */
function answerTimes(call: number, grows: boolean): AnswerTimes {
  let [inVain, began] = [0, 0];
  return {
    next: () => {
      began = performance.now();
      return call * 2 ** Math.min(MOST_DOUBLINGS, Math.max(0, inVain + 1 - PLAIN_TRIES));
    },
    failed: () => {
      if (grows && performance.now() - began >= call) inVain += 1;
    },
    reset: () => {
      inVain = 0;
    },
  };
}

async function compared(context: StoreContext, { position, event }: Place, answerMs: number): Promise<Place> {
  const found = await tryEventAt(context, position, answerMs);
  if (found === null || (event !== null && found !== event)) throw new InvalidPosition(position);
  return { position, event: found };
}
