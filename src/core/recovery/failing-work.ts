/** Interrupted work that fails, as operators see it. */

export interface FailingItem {
  /** The kind of work. */
  readonly what: string;
  readonly item: string;
  /** Of the last try. */
  readonly reason: string;
  readonly failures: number;
  /** Times in ISO 8601: of the first try that failed, and of the next one. */
  readonly since: string;
  readonly nextTry: string;
}

export interface FailingWork {
  readonly count: number;
  /** The first of them. */
  readonly items: readonly FailingItem[];
}

/** Kept for all processes, until the next report. */
export interface FailingWorkRegister {
  publish(work: FailingWork): Promise<void>;
  /** The last report. */
  last(): Promise<FailingWork>;
}

export const NOTHING_FAILS: FailingWork = { count: 0, items: [] };
