/** What happened how often lately: shared memory of a throttle, which may be lost without harm. */
export interface ExpiringCounters {
  /** Counts one under each key, until it expires. */
  add(keys: readonly string[], expiresAt: Date): Promise<void>;
  /** In the order of the keys. */
  counts(keys: readonly string[]): Promise<readonly Count[]>;
  clear(key: string): Promise<void>;
}

export interface Count {
  readonly count: number;
  /** When the oldest one counted expires, and the count falls; null for none. */
  readonly fallsAt: Date | null;
}
