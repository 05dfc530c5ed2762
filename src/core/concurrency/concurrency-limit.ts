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
 * come: if it throws, the work is not begun, and shows nothing of how long works take. The wait ends when the signal
 * aborts, with its reason.
 */
export type ConcurrencyLimit = <T>(work: () => Promise<T>, check?: () => void, signal?: AbortSignal) => Promise<T>;

/** Of work that is no single call. It ends when this is called. */
export type End = () => void;

/** Resolves when the work may begin. */
export const beginning = (limit: ConcurrencyLimit, signal?: AbortSignal): Promise<End> =>
  new Promise((begin, reject) => {
    const work = (): Promise<void> => new Promise<void>(begin);
    limit(work, undefined, signal).catch(reject);
  });

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
  return async (work, check, signal) => {
    if (underWay < Math.floor(width) && !queue.isWaitedFor()) underWay += 1;
    else {
      const turn = queue.wait(signal);
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
  readonly wait: (signal?: AbortSignal) => Promise<void>;
  readonly isWaitedFor: () => boolean;
  /** Whether there was a waiter whose turn it could be. */
  readonly next: () => boolean;
}

function turns({ mostWaiting, patienceMs, refused }: ConcurrencyLimitOptions): Turns {
  const waiting = new Set<() => void>();
  return {
    wait: (signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (waiting.size >= mostWaiting) throw refused();
        const leave = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          waiting.delete(enter);
        };
        const giveUp = (): void => {
          leave();
          reject(signal?.reason as Error);
        };
        const timer = setTimeout(() => {
          leave();
          reject(refused());
        }, patienceMs);
        const enter = (): void => {
          leave();
          resolve();
        };
        signal?.addEventListener('abort', giveUp);
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
