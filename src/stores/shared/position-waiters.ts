import { condition } from '../../core/concurrency/condition.js';
import { type Position } from '../../core/event-log.js';

export interface PositionWaiters {
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

export function positionWaiters(): PositionWaiters {
  const progress = new Map<string, Position>();
  const { until, notify, isWaitedFor } = condition();
  let isClosed = false;
  const hasReached = (projection: string, position: Position): boolean => {
    const reached = progress.get(projection);
    return reached !== undefined && reached >= position;
  };
  return {
    reached: (projection, position) => {
      progress.set(projection, position);
      notify();
    },
    forget: (projection) => {
      progress.delete(projection);
    },
    wait: async (projection, position, patienceMs) => {
      const isSettled = await until(() => isClosed || hasReached(projection, position), { patienceMs });
      return isSettled && !isClosed;
    },
    isWaitedFor,
    close: () => {
      isClosed = true;
      notify();
    },
  };
}
