import { condition } from '../../core/concurrency/condition.js';
import { type Position } from '../../core/event-log.js';

/** Wakes those who wait for the log to grow. */
export interface LogNotifications {
  /** The log now ends at this position, or further on. */
  readonly publish: (end: Position) => void;
  /** Resolves when the log may go beyond the position, or when the signal aborts. */
  readonly waitBeyond: (position: Position | null, signal: AbortSignal) => Promise<void>;
}

/** A look at the log without having been told of anything: were a notice ever lost, this is how late it could get. */
const LOOK_MS = 1000;

export function logNotifications(): LogNotifications {
  const { until, notify } = condition();
  let latest: Position | null = null;
  return {
    publish: (end) => {
      if (latest !== null && end <= latest) return;
      latest = end;
      notify();
    },
    waitBeyond: async (position, signal) => {
      const isBeyond = (): boolean => latest !== null && (position === null || latest > position);
      await until(isBeyond, { signal, patienceMs: LOOK_MS });
    },
  };
}
