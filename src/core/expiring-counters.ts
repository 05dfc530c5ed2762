/** What expires later was counted while the clock was ahead of time, and counts no more. */
export const LONGEST_COUNTED_MS = 60 * 60 * 1000;

/** What happened how often lately: shared memory of a throttle, which may be lost without harm. */
export interface ExpiringCounters {
  /** Counts one under each key, until it expires, in an hour at most, or is taken back. A process that counts after that finds it. */
  add(keys: readonly string[], expiresAt: Date): Promise<Release>;
  /** In the order of the keys. */
  counts(keys: readonly string[]): Promise<readonly Count[]>;
  clear(key: string): Promise<void>;
}

/**
 * Leaves everything else that was counted under the same keys; does nothing where it is no longer counted. Never
 * rejects: what cannot be taken back expires.
 */
export type Release = () => Promise<void>;

export interface Count {
  readonly count: number;
  /** When the oldest one counted expires, and the count falls; null for none. */
  readonly expiresAt: Date | null;
}
