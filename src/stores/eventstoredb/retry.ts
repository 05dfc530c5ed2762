import { setTimeout as sleep } from 'node:timers/promises';
import { type OnRetry } from '../../core/concurrency/retry.js';
import { type CircuitBreaker } from './circuit-breaker.js';
import { type Connection, type Connections } from './connections.js';
import { Denied, needsOperator, IdleTimeout } from './errors.js';
import { closedLog, isDeadline, isOutage, noAnswer, noEntry, isTransient } from './failures.js';

/** How long things may take, in milliseconds. */
export interface Timing {
  /** One call, or the silence of a server that is sending. */
  readonly call: number;
  /** A call and its repetitions. */
  readonly patience: number;
  /** A subscription that says nothing, until it is asked whether it still lives. */
  readonly silence: number;
  readonly firstPause: number;
  readonly longestPause: number;
  /** After a call went unanswered for all its patience, others fail for so long without being tried. */
  readonly coolDown: number;
}

/** What all calls of one log share. */
export interface CallContext {
  readonly timing: Timing;
  readonly onRetry: OnRetry;
  /** Aborts when the log is closed: what still goes on fails. */
  readonly closing: AbortSignal;
  readonly connections: Connections;
  readonly breaker: CircuitBreaker;
  /** What an error of the server means at this stage of the log's life. */
  readonly understood: (error: unknown) => unknown;
}

export const TIMING: Timing = {
  call: 2000,
  patience: 5000,
  silence: 5000,
  firstPause: 50,
  longestPause: 5000,
  coolDown: 500,
};

export interface Backoff {
  /** Tells of the failure, and waits: longer each time, until a reset. The signal cuts it short without an error. */
  readonly pause: (error: unknown, onRetry: OnRetry, signal: AbortSignal) => Promise<void>;
  /** All went well. */
  readonly reset: () => void;
  /** When the failures began that have not ended since. */
  readonly since: () => number;
  /** There have been failures, and nothing else, for longer than patience lasts. */
  readonly exhausted: () => boolean;
  readonly isEndless: boolean;
}

export function exponentialBackoff({ firstPause, longestPause, patience }: Timing): Backoff {
  let next = firstPause;
  let since: number | undefined;
  return {
    pause: async (error, onRetry, signal) => {
      since ??= performance.now();
      const ms = next;
      next = Math.min(2 * next, longestPause);
      onRetry(error, ms);
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    },
    reset: () => {
      next = firstPause;
      since = undefined;
    },
    since: () => since ?? performance.now(),
    exhausted: () => since !== undefined && performance.now() + next - since >= patience,
    isEndless: patience === Infinity,
  };
}

/** Does the work again as long as it fails in passing and patience lasts. */
export async function retryTransient<T>(work: () => Promise<T>, context: CallContext): Promise<T> {
  const { timing, onRetry, closing, connections, breaker } = context;
  if (breaker.isOpen()) throw noAnswer();
  const backoff = exponentialBackoff(timing);
  for (;;) {
    const connection = connections.current();
    try {
      const result = await work();
      answered(context, connection);
      return result;
    } catch (error) {
      const understood = context.understood(error);
      throwFinal(understood, context, backoff, connection);
      await backoff.pause(understood, onRetry, closing);
    }
  }
}

export function answered({ connections, breaker }: CallContext, connection: Connection): void {
  connections.answered(connection);
  breaker.answered();
}

/** Throws what the caller is told, where another try makes no sense. */
export function throwFinal(error: unknown, context: CallContext, backoff: Backoff, connection: Connection): void {
  const { closing, connections, breaker } = context;
  if (closing.aborted) throw closedLog();
  if (error instanceof IdleTimeout) connections.unanswered(connection);
  else if (!isOutage(error)) answered(context, connection);
  throwIfNoTryHelps(error, context, backoff);
  if (!backoff.exhausted()) return;
  if (isOutage(error)) breaker.gaveUp(backoff.since());
  throw noAnswer();
}

function throwIfNoTryHelps(error: unknown, { onRetry }: CallContext, { isEndless }: Backoff): void {
  const isDenied = error instanceof Denied;
  if (isDenied ? isEndless : isTransient(error)) return;
  // Nothing else tells of it: no pause follows.
  if (needsOperator(error)) onRetry(error, 0);
  throw isDenied ? noEntry() : error;
}

/** The client knows no deadline for making a connection, and none that a silent server would keep. */
export async function within<T>(ms: number, call: Promise<T>, lost: AbortSignal): Promise<T> {
  let giveUp: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    giveUp = () => {
      reject(lost.reason as Error);
    };
    lost.addEventListener('abort', giveUp);
    timer = setTimeout(() => {
      reject(new IdleTimeout(`EventStoreDB has given no answer for ${ms} ms`));
    }, ms);
  });
  try {
    return await Promise.race([call, late]);
  } catch (error) {
    // The client's own deadline runs out at about the same time.
    throw isDeadline(error)
      ? new IdleTimeout(`EventStoreDB has given no answer for ${ms} ms`, { cause: error })
      : error;
  } finally {
    clearTimeout(timer);
    lost.removeEventListener('abort', giveUp);
  }
}
