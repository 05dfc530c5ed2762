import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorType, isCommandError } from '@eventstore/db-client';
import { Problem } from '../core/problem.js';

/** Told of each failure before the pause that follows it. */
export type OnTrouble = (error: unknown, pauseMs: number) => void;

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
  /** After a call was given up, others are for so long without being tried: many may have waited for it. */
  readonly respite: number;
}

/** What all calls of one log share. */
export interface Calling {
  readonly timing: Timing;
  readonly onTrouble: OnTrouble;
  /** Aborts when the log is closed: what still goes on fails. */
  readonly closing: AbortSignal;
  readonly surrender: Surrender;
}

/** When a call was last given up. */
interface Surrender {
  at: number;
}

export const neverYet = (): Surrender => ({ at: -Infinity });

export const TIMING: Timing = {
  call: 2000,
  patience: 5000,
  silence: 5000,
  firstPause: 50,
  longestPause: 5000,
  respite: 500,
};

/** What another try may mend: nobody knows what became of the last one. */
export class Passing extends Error {
  override readonly name = 'Passing';
}

const RETRY_AFTER = 5;

/** Refusals that another try would only repeat. Anything else of the client leaves the outcome open. */
const FINAL: ReadonlySet<ErrorType> = new Set([
  ErrorType.ACCESS_DENIED,
  ErrorType.INVALID_ARGUMENT,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.MISSING_REQUIRED_METADATA_PROPERTY,
  ErrorType.STREAM_DELETED,
  ErrorType.STREAM_NOT_FOUND,
  ErrorType.UNSUPPORTED,
  ErrorType.WRONG_EXPECTED_VERSION,
]);

function passes(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Problem) return error.kind === 'unavailable';
  if (isCommandError(error)) return !FINAL.has(error.type);
  // The client hands on what it did not expect of gRPC and of sockets as it is: those carry a code.
  return error instanceof Passing || 'code' in error || CLIENT_FAILURES.test(error.message);
}

const CLIENT_FAILURES = /^(Failed to discover|Channel )/;

export interface Pauses {
  /** Tells of the trouble, and waits: longer each time, until a reset. The signal cuts it short without an error. */
  readonly pause: (error: unknown, onTrouble: OnTrouble, signal: AbortSignal) => Promise<void>;
  /** All went well. */
  readonly reset: () => void;
  /** There has been trouble, and nothing else, for longer than patience lasts. */
  readonly exhausted: () => boolean;
}

export function pauses({ firstPause, longestPause, patience }: Timing): Pauses {
  let next = firstPause;
  let since: number | undefined;
  return {
    pause: async (error, onTrouble, signal) => {
      since ??= Date.now();
      const ms = next;
      next = Math.min(2 * next, longestPause);
      onTrouble(error, ms);
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    },
    reset: () => {
      next = firstPause;
      since = undefined;
    },
    exhausted: () => since !== undefined && Date.now() + next - since >= patience,
  };
}

/** Does the work again as long as it fails in passing and patience lasts. */
export async function patiently<T>(work: () => Promise<T>, calling: Calling): Promise<T> {
  const { timing, onTrouble, closing, surrender } = calling;
  if (performance.now() - surrender.at < timing.respite) throw noAnswer();
  const trouble = pauses(timing);
  for (;;) {
    try {
      const result = await work();
      surrender.at = -Infinity;
      return result;
    } catch (error) {
      throwFinal(error, calling, trouble);
      await trouble.pause(error, onTrouble, closing);
    }
  }
}

/** Throws what the caller is told, where another try makes no sense. */
export function throwFinal(error: unknown, { closing, surrender }: Calling, trouble: Pauses): void {
  if (closing.aborted) throw closedLog();
  if (!passes(error)) throw error;
  if (!trouble.exhausted()) return;
  surrender.at = performance.now();
  throw noAnswer();
}

function noAnswer(): Problem {
  return new Problem('unavailable', 'The event log does not answer right now', { retryAfter: RETRY_AFTER });
}

export function closedLog(): Problem {
  return new Problem('unavailable', 'The event log is closed');
}

/** The client knows no deadline for making a connection, and none that a silent server would keep. */
export async function within<T>(ms: number, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Passing(`EventStoreDB has given no answer for ${ms} ms`));
    }, ms);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
