/** Lets so many works go on at once. The others wait their turn, not for long. */
import { condition } from './condition.js';

export interface ConcurrencyLimitOptions {
  /** At once, as long as none of them is slow. */
  readonly most: number;
  /** At once, however long they take. */
  readonly fewest?: number;
  /** Who takes longer shows that too many go on at once. */
  readonly slowMs?: number;
  /** Who comes when so many wait is refused at once. */
  readonly mostWaiting: number;
  /** Who has waited so long is refused. */
  readonly patienceMs: number;
  /** What those get who are refused. */
  readonly refused: () => Error;
}

/**
 * Refuses, before the work has begun, where it would have to wait for too long. If the signal aborts before it has begun,
 * it is not begun, and the reason is thrown.
 */
export type ConcurrencyLimit = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Of work that is no single call. It ends when this is called. */
export type End = () => void;

/** Resolves when the work may begin. */
export const beginning = (limit: ConcurrencyLimit, signal?: AbortSignal): Promise<End> =>
  new Promise((begin, reject) => {
    limit(() => new Promise<void>(begin), signal).catch(reject);
  });

const NARROWER = 0.9;

export function concurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const { most, fewest = most, slowMs = Infinity, mostWaiting, patienceMs, refused } = options;
  const places = condition();
  let width = most;
  let underWay = 0;
  const takesPlace = (): boolean => {
    const isFree = underWay < Math.floor(width);
    if (isFree) underWay += 1;
    return isFree;
  };
  const place = async (signal?: AbortSignal): Promise<void> => {
    places.notifyInOrder();
    const isPlace = places.waiting() < mostWaiting && (await places.until(takesPlace, { patienceMs, signal }));
    if (isPlace) return;
    signal?.throwIfAborted();
    throw refused();
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
  return async (work, signal) => {
    signal?.throwIfAborted();
    if (places.waiting() > 0 || !takesPlace()) await place(signal);
    try {
      return await timed(work);
    } finally {
      underWay -= 1;
      places.notifyInOrder();
    }
  };
}
