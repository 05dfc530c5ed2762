import { condition } from '../../core/concurrency/condition.js';
import { type Position } from '../../core/event-log.js';

/** Wakes the readers that wait for the log to grow. */
export interface LogNotifications {
  /** The log now ends at this position, or further on. */
  readonly publish: (end: Position) => void;
  /** Whether nothing was published beyond the position, though something was up to there. */
  readonly isReached: (position: Position) => boolean;
  /** Resolves when the log may go beyond the position, or when the signal aborts. */
  readonly waitBeyond: (position: Position | null, signal: AbortSignal) => Promise<void>;
}

/** The log is polled this often without a notice, which bounds the delay of a lost notice. */
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
    isReached: (position) => latest !== null && latest <= position,
    waitBeyond: async (position, signal) => {
      const isBeyond = (): boolean => latest !== null && (position === null || latest > position);
      await until(isBeyond, { signal, patienceMs: LOOK_MS });
    },
  };
}
