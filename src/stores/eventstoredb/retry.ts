import { messageOf, PermanentError, retry, type OnRetry } from '../../core/concurrency/retry.js';
import { type Names } from './codec.js';
import { type Connection, type Connections } from './connection.js';
import {
  closedLog,
  Denied,
  denied,
  IdleTimeout,
  isDeadline,
  isDenial,
  isOutage,
  isTransient,
  needsOperator,
  noAnswer,
  noEntry,
} from './errors.js';

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

export const TIMING: Timing = {
  call: 2000,
  patience: 5000,
  silence: 5000,
  firstPause: 50,
  longestPause: 5000,
  coolDown: 500,
};

/** What the parts of the log share. */
export interface StoreContext {
  readonly names: Names;
  readonly timing: Timing;
  readonly onRetry: OnRetry;
  /** Aborts when the log is closed: what still goes on fails. */
  readonly closing: AbortSignal;
  readonly connections: Connections;
  readonly life: Life;
}

interface Life {
  /** The server has let the log in. If it denies the user before that, the settings are wrong, which no other try mends. */
  isOpen: boolean;
  /** When the server has last answered a call, with a result or an error. */
  answeredAt: number;
  /** Until then calls fail at once: many may wait for the same. */
  brokenUntil: number;
}

/** Does the work again as long as it fails in passing and patience lasts. */
export async function retryTransient<T>(work: () => Promise<T>, context: StoreContext): Promise<T> {
  if (performance.now() < context.life.brokenUntil) throw noAnswer();
  return retryFor(context.timing.patience, work, context, context.closing);
}

/** The same, also while calls fail at once. The signal aborts when the log is closed, if not before. */
export async function retryFor<T>(
  patienceMs: number,
  work: () => Promise<T>,
  context: StoreContext,
  signal: AbortSignal,
): Promise<T> {
  const { connections, timing, onRetry, life } = context;
  let failingSince = Infinity;
  // Throws a PermanentError where another try makes no sense. The caller gets its cause.
  const attempt = async (): Promise<T> => {
    const connection = connections.current();
    try {
      const result = await work();
      answered(context, connection);
      return result;
    } catch (failure) {
      const error = understood(failure, life);
      failingSince = Math.min(failingSince, performance.now());
      if (signal.aborted) throw error;
      if (error instanceof IdleTimeout) connections.unanswered(connection);
      else if (!isOutage(error)) answered(context, connection);
      throw patienceMs === Infinity && error instanceof Denied ? error : sorted(error, onRetry);
    }
  };
  const pauses = { firstPauseMs: timing.firstPause, longestPauseMs: timing.longestPause, patienceMs };
  try {
    return await retry(attempt, signal, onRetry, pauses);
  } catch (error) {
    if (signal.aborted) throw closedLog();
    if (error instanceof PermanentError) throw error.cause;
    // Where another call was answered meanwhile, it is not the server.
    if (isOutage(error) && life.answeredAt < failingSince) life.brokenUntil = performance.now() + timing.coolDown;
    throw noAnswer();
  }
}

function answered({ connections, life }: StoreContext, connection: Connection): void {
  connections.answered(connection);
  life.answeredAt = performance.now();
  life.brokenUntil = -Infinity;
}

function understood(failure: unknown, { isOpen }: Life): unknown {
  return isOpen && isDenial(failure) ? denied(failure) : failure;
}

function sorted(error: unknown, onRetry: OnRetry): unknown {
  const isDenied = error instanceof Denied;
  if (isTransient(error) && !isDenied) return error;
  // Nothing else tells of it: no pause follows.
  if (needsOperator(error)) onRetry(error, 0);
  return new PermanentError(messageOf(error), { cause: isDenied ? noEntry() : error });
}

/** The client has no deadline for connecting, and none against a silent server. */
export function answerWithin<T>(ms: number, call: Promise<T>, lost: AbortSignal): Promise<T> {
  const late = (cause?: unknown) => new IdleTimeout(`EventStoreDB has given no answer for ${ms} ms`, { cause });
  return new Promise((resolve, reject) => {
    const settled =
      <A>(settle: (answer: A) => void) =>
      (answer: A): void => {
        clearTimeout(timer);
        lost.removeEventListener('abort', giveUp);
        settle(answer);
      };
    const refuse = settled(reject);
    const giveUp = (): void => {
      refuse(lost.reason);
    };
    const timer = setTimeout(() => {
      refuse(late());
    }, ms);
    lost.addEventListener('abort', giveUp);
    // The client's own deadline runs out at about the same time.
    call.then(settled(resolve), (error: unknown) => {
      refuse(isDeadline(error) ? late(error) : error);
    });
  });
}
