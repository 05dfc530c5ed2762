import { messageOf, PermanentError, retry, type OnRetry } from '../../core/concurrency/retry.js';
import { type CircuitBreaker } from './circuit-breaker.js';
import { type Connections } from './connections.js';
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

/** Does the work again as long as it fails in passing and patience lasts. */
export async function retryTransient<T>(work: () => Promise<T>, context: CallContext): Promise<T> {
  const { timing, closing, breaker } = context;
  if (breaker.isOpen()) throw noAnswer();
  return retryFor(timing.patience, work, context, closing);
}

/** The same, also while the breaker is open. The signal aborts when the log is closed, if not before. */
export async function retryFor<T>(
  patienceMs: number,
  work: () => Promise<T>,
  context: CallContext,
  signal: AbortSignal,
): Promise<T> {
  const { timing, onRetry, breaker } = context;
  let failingSince = Infinity;
  const attempt = (): Promise<T> =>
    tryOnce(work, context, signal, patienceMs === Infinity).catch((error: unknown) => {
      failingSince = Math.min(failingSince, performance.now());
      throw error;
    });
  const pauses = { firstPauseMs: timing.firstPause, longestPauseMs: timing.longestPause, patienceMs };
  try {
    return await retry(attempt, signal, onRetry, pauses);
  } catch (error) {
    if (signal.aborted) throw closedLog();
    if (error instanceof PermanentError) throw error.cause;
    if (isOutage(error)) breaker.gaveUp(failingSince);
    throw noAnswer();
  }
}

/** Throws a PermanentError where another try makes no sense. Its cause is what the caller is told. */
async function tryOnce<T>(
  work: () => Promise<T>,
  context: CallContext,
  signal: AbortSignal,
  isEndless: boolean,
): Promise<T> {
  const { connections, breaker } = context;
  const connection = connections.current();
  const answered = (): void => {
    connections.answered(connection);
    breaker.answered();
  };
  try {
    const result = await work();
    answered();
    return result;
  } catch (failure) {
    const error = context.understood(failure);
    if (signal.aborted) throw error;
    if (error instanceof IdleTimeout) connections.unanswered(connection);
    else if (!isOutage(error)) answered();
    throw error instanceof Denied && isEndless ? error : sorted(error, context);
  }
}

function sorted(error: unknown, { onRetry }: CallContext): unknown {
  const isDenied = error instanceof Denied;
  if (isTransient(error) && !isDenied) return error;
  // Nothing else tells of it: no pause follows.
  if (needsOperator(error)) onRetry(error, 0);
  return new PermanentError(messageOf(error), { cause: isDenied ? noEntry() : error });
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
