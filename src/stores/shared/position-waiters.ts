import { type Position } from '../../core/event-log.js';

export interface Waiting {
  /** What the projection serves reflects the position by now, and no later one: a log may have been restored. */
  reached(projection: string, position: Position): void;
  /** The projection serves nothing any longer. */
  forget(projection: string): void;
  wait(projection: string, position: Position, patienceMs: number): Promise<boolean>;
  /** Whether anybody waits right now. */
  readonly isWaitedFor: () => boolean;
  /** Nobody waits any longer. */
  close(): void;
}

interface Waiter {
  readonly projection: string;
  readonly position: Position;
  readonly settle: (caughtUp: boolean) => void;
}

export function waiting(): Waiting {
  const progress = new Map<string, Position>();
  const waiters = new Set<Waiter>();
  const hasReached = (projection: string, position: Position): boolean => {
    const reached = progress.get(projection);
    return reached !== undefined && reached >= position;
  };
  return {
    reached: (projection, position) => {
      progress.set(projection, position);
      for (const waiter of waiters) {
        if (waiter.projection === projection && hasReached(projection, waiter.position)) waiter.settle(true);
      }
    },
    forget: (projection) => {
      progress.delete(projection);
    },
    wait: (projection, position, patienceMs) => {
      if (hasReached(projection, position)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const settle = (caughtUp: boolean): void => {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve(caughtUp);
        };
        const waiter: Waiter = { projection, position, settle };
        const timer = setTimeout(settle, patienceMs, false);
        waiters.add(waiter);
      });
    },
    isWaitedFor: () => waiters.size > 0,
    close: () => {
      for (const waiter of waiters) waiter.settle(false);
    },
  };
}
