import { condition } from '../../core/concurrency/condition.js';
import { type Position } from '../../core/event-log.js';

export interface PositionWaiters {
  /** The serving generation reflects this position, which may be earlier than before if the log was restored. */
  reached(projection: string, position: Position): void;
  /** The projection serves nothing any longer. */
  forget(projection: string): void;
  /**
   * Returns false after this patience. If the projection has advanced lately, it is only behind: the wait then lasts up
   * to ten times as long.
   */
  wait(projection: string, position: Position, patienceMs: number): Promise<boolean>;
  /** Whether a request waits right now. */
  readonly isWaitedFor: () => boolean;
  /** No request waits any longer. */
  close(): void;
}

/** As often as patience lasts. */
const MOST_PATIENCES = 10;
const LATELY_PATIENCES = 3;

export function positionWaiters(): PositionWaiters {
  const progress = new Map<string, Position>();
  const progressedAt = new Map<string, number>();
  const { until, notify, waiting } = condition();
  let isClosed = false;
  const hasReached = (projection: string, position: Position): boolean => {
    const reached = progress.get(projection);
    return reached !== undefined && reached >= position;
  };
  return {
    reached: (projection, position) => {
      if (progress.get(projection) !== position) progressedAt.set(projection, performance.now());
      progress.set(projection, position);
      notify();
    },
    forget: (projection) => {
      progress.delete(projection);
    },
    wait: async (projection, position, patienceMs) => {
      const began = performance.now();
      const deadline = (): number => {
        const ofProgress = (progressedAt.get(projection) ?? -Infinity) + LATELY_PATIENCES * patienceMs;
        return Math.min(began + MOST_PATIENCES * patienceMs, Math.max(began + patienceMs, ofProgress));
      };
      for (let left = patienceMs; left >= 0; left = deadline() - performance.now()) {
        const isSettled = await until(() => isClosed || hasReached(projection, position), { patienceMs: left });
        if (isSettled || isClosed) return !isClosed;
      }
      return false;
    },
    isWaitedFor: () => waiting() > 0,
    close: () => {
      isClosed = true;
      notify();
    },
  };
}
