import { setTimeout } from 'node:timers/promises';

/** Told of each failure before the pause that follows it. */
export type OnRetry = (error: unknown, pauseMs: number) => void;

/** An error that another try would only repeat. */
export class PermanentError extends Error {
  override readonly name: string = 'PermanentError';
}

/** In milliseconds. */
export interface Timers {
  readonly now: () => number;
  /** Rejects with the signal's reason once it aborts. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Not the clock of the day, which may be set. */
const TIMERS: Timers = {
  now: () => performance.now(),
  wait: (ms, signal) =>
    setTimeout(ms, undefined, { signal }).catch(() => {
      throw signal?.reason;
    }),
};

export interface Pauses {
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  readonly patienceMs: number;
}

const ENDLESS: Pauses = { firstPauseMs: 100, longestPauseMs: 5000, patienceMs: Infinity };

/** After the n-th failure in a row: pauses double up to the longest. */
export function pauseAfter(
  failures: number,
  { firstPauseMs, longestPauseMs }: Pick<Pauses, 'firstPauseMs' | 'longestPauseMs'>,
): number {
  return Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
}

/**
 * Does the work until it succeeds, with pauses that double. `progressed` makes the next pause a short one again, and
 * begins patience anew. Throws a PermanentError at once, and any other error when patience is over. Throws the signal's
 * reason when it aborts.
 */
export async function retry<T>(
  work: (progressed: () => void) => Promise<T>,
  signal: AbortSignal,
  onRetry: OnRetry,
  given: Partial<Pauses> = {},
  { now, wait }: Timers = TIMERS,
): Promise<T> {
  const pauses = { ...ENDLESS, ...given };
  let failures = 0;
  let failingSince = Infinity;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work(() => {
        failures = 0;
        failingSince = Infinity;
      });
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      failingSince = Math.min(failingSince, now());
      const pause = pauseAfter(failures, pauses);
      if (error instanceof PermanentError || now() + pause - failingSince >= pauses.patienceMs) throw error;
      onRetry(error, pause);
      await wait(pause, signal);
    }
  }
}

export interface Patience extends Pauses {
  /** However long they take: the process may have been paused meanwhile. */
  readonly fewestTries: number;
  /** When the waiting began, on the clock of `performance`. */
  readonly since: number;
}

/** For what others, in this process or another, have under way. */
const PATIENCE: Omit<Patience, 'since'> = { patienceMs: 10_000, fewestTries: 1, firstPauseMs: 5, longestPauseMs: 40 };

/**
 * Tries until there is a result; null once patience is over. Throws what a try throws. Each pause is a random part of
 * what `retry` would make of it, so that two colliding callers do not collide again.
 */
export async function retryUntil<T>(
  attempt: () => Promise<T | null>,
  given: Partial<Patience> = {},
  { now, wait }: Timers = TIMERS,
): Promise<T | null> {
  const { since, patienceMs, fewestTries, ...patience } = { ...PATIENCE, since: now(), ...given };
  const deadline = since + patienceMs;
  for (let tries = 1; ; tries += 1) {
    const result = await attempt();
    if (result !== null) return result;
    if (tries >= fewestTries && now() >= deadline) return null;
    await wait(Math.random() * pauseAfter(tries, patience));
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Of an error of Node, a library or a server; undefined for one without. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
