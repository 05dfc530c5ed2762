/** Lets so many works go on at once. The others wait their turn, not for long. */

export interface ConcurrencyLimitOptions {
  /** At once, however long they take. */
  readonly fewest: number;
  /** At once, as long as none of them is slow. */
  readonly most: number;
  /** Who takes longer shows that too many go on at once. */
  readonly slowMs: number;
  /** Who comes when so many wait is refused at once. */
  readonly mostWaiting: number;
  /** Who has waited so long is refused. */
  readonly patienceMs: number;
  /** What those get who are refused. */
  readonly refused: () => Error;
}

/**
 * Refuses, before the work has begun, where it would have to wait for too long. `check` is called when its turn has
 * come: if it throws, the work is not begun, and shows nothing of how long works take.
 */
export type ConcurrencyLimit = <T>(work: () => Promise<T>, check?: () => void) => Promise<T>;

const NARROWER = 0.9;

export function concurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const { fewest, most, slowMs } = options;
  const queue = turns(options);
  let width = most;
  let underWay = 0;
  const admit = (): void => {
    while (underWay < Math.floor(width) && queue.next()) underWay += 1;
  };
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    try {
      return await work();
    } finally {
      const isSlow = performance.now() - began > slowMs;
      width = isSlow ? Math.max(fewest, width * NARROWER) : Math.min(most, width + 1);
    }
  };
  return async (work, check) => {
    if (underWay < Math.floor(width) && !queue.isWaitedFor()) underWay += 1;
    else {
      const turn = queue.wait();
      admit();
      await turn;
    }
    try {
      check?.();
      return await timed(work);
    } finally {
      underWay -= 1;
      admit();
    }
  };
}

interface Turns {
  readonly wait: () => Promise<void>;
  readonly isWaitedFor: () => boolean;
  /** Whether there was a waiter whose turn it could be. */
  readonly next: () => boolean;
}

function turns({ mostWaiting, patienceMs, refused }: ConcurrencyLimitOptions): Turns {
  const waiting = new Set<() => void>();
  return {
    wait: () =>
      new Promise((resolve, reject) => {
        if (waiting.size >= mostWaiting) {
          reject(refused());
          return;
        }
        const timer = setTimeout(() => {
          waiting.delete(enter);
          reject(refused());
        }, patienceMs);
        const enter = (): void => {
          clearTimeout(timer);
          waiting.delete(enter);
          resolve();
        };
        waiting.add(enter);
      }),
    isWaitedFor: () => waiting.size > 0,
    next: () => {
      const [first] = waiting;
      first?.();
      return first !== undefined;
    },
  };
}
