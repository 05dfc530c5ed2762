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
  wait: (ms, signal) => setTimeout(ms, undefined, { signal }),
};

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/**
 * Does the work until it succeeds, with growing pauses; `progressed` makes the next pause a short one again. Throws a
 * PermanentError at once, and the signal's reason once it aborts.
 */
export async function retry<T>(
  work: (progressed: () => void) => Promise<T>,
  signal: AbortSignal,
  onRetry: OnRetry,
  { wait }: Pick<Timers, 'wait'> = TIMERS,
): Promise<T> {
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work(() => {
        pause = FIRST_PAUSE_MS;
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof PermanentError) throw error;
      onRetry(error, pause);
    }
    await wait(pause, signal);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

export interface Patience {
  readonly patienceMs: number;
  /** However long they take: the process may have been paused meanwhile. */
  readonly fewestTries: number;
  /** No pause is longer than this at first; later ones may be, up to the longest. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** When the waiting began, on the clock of `performance`. */
  readonly since: number;
}

/** For what others, in this process or another, have under way. */
const PATIENCE: Omit<Patience, 'since'> = { patienceMs: 10_000, fewestTries: 1, firstPauseMs: 5, longestPauseMs: 40 };

/**
 * Tries until there is a result; null once patience is over. Throws what a try throws. The pauses are random, so that two
 * that were in each other's way do not meet again.
 */
export async function retryUntil<T>(
  attempt: () => Promise<T | null>,
  given: Partial<Patience> = {},
  { now, wait }: Timers = TIMERS,
): Promise<T | null> {
  const { since, patienceMs, fewestTries, ...patience } = { ...PATIENCE, since: now(), ...given };
  const deadline = since + patienceMs;
  let longest = patience.firstPauseMs;
  for (let tries = 1; ; tries += 1) {
    const result = await attempt();
    if (result !== null) return result;
    if (tries >= fewestTries && now() >= deadline) return null;
    await wait(Math.random() * longest);
    longest = Math.min(2 * longest, patience.longestPauseMs);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
