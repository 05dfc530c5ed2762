import { type Position } from '../../core/event-log.js';

/** Wakes those who wait for the log to grow. */
export interface LogNews {
  /** The log now ends at this position, or further on. */
  readonly tell: (end: Position) => void;
  /** Resolves when the log may go beyond the position, or when the signal aborts. */
  readonly beyond: (position: Position | null, signal: AbortSignal) => Promise<void>;
}

/** A look at the log without having been told of anything: were a notice ever lost, this is how late it could get. */
const LOOK_MS = 1000;

export function logNews(): LogNews {
  let latest: Position | null = null;
  const waiting = new Set<() => void>();
  return {
    tell: (end) => {
      if (latest !== null && end <= latest) return;
      latest = end;
      for (const wake of waiting) wake();
    },
    beyond: (position, signal) => {
      if (signal.aborted || (latest !== null && (position === null || latest > position))) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, LOOK_MS);
        waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
    },
  };
}
