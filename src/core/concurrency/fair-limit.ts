/**
 * Lets so many works go on at once, and refuses none. A caller who has some under way gets a further place only while more
 * than these are free: one alone takes half of them, and others come in beside. Of callers that wait, one with the fewest
 * works comes first, and these in rotation.
 */
import { rotation } from './rotation.js';

interface FairLimitOptions {
  readonly most: number;
  /** Judged again with each work that ends, and with each call of `beginNext`. */
  readonly mayBegin?: ((caller: string) => boolean) | undefined;
}

export interface FairLimit {
  /**
   * `leaving` is asked for only if the work has to wait. If that signal aborts before the work has begun, it is not begun,
   * and the reason is thrown.
   */
  readonly run: <T>(work: () => Promise<T>, caller: string, leaving?: () => AbortSignal | undefined) => Promise<T>;
  /** How many works of this caller go on or wait. */
  readonly of: (caller: string) => number;
  readonly beginNext: () => void;
}

export function fairLimit({ most, mayBegin = () => true }: FairLimitOptions): FairLimit {
  const waiting = rotation<() => void>();
  const underWay = new Map<string, number>();
  let total = 0;
  const worksOf = (caller: string): number => underWay.get(caller) ?? 0;
  const isFree = (caller: string): boolean => worksOf(caller) < most - total && mayBegin(caller);
  const rankOf = (caller: string): number => (isFree(caller) ? worksOf(caller) : Infinity);
  const next = (): (() => void) | undefined => (total < most ? waiting.next(rankOf) : undefined);
  const take = (caller: string): void => {
    total += 1;
    underWay.set(caller, worksOf(caller) + 1);
  };
  const beginNext = (): void => {
    for (let begin = next(); begin !== undefined; begin = next()) begin();
  };
  const place = (caller: string, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        take(caller);
        resolve();
      };
      const leave = (): void => {
        waiting.remove(begin, caller);
        reject(signal?.reason as Error);
      };
      signal?.throwIfAborted();
      signal?.addEventListener('abort', leave, { once: true });
      waiting.add(begin, caller);
    });
  const give = (caller: string): void => {
    total -= 1;
    if (worksOf(caller) > 1) underWay.set(caller, worksOf(caller) - 1);
    else underWay.delete(caller);
    beginNext();
  };
  return {
    run: async (work, caller, leaving) => {
      if (isFree(caller)) take(caller);
      else await place(caller, leaving?.());
      try {
        return await work();
      } finally {
        give(caller);
      }
    },
    of: (caller) => worksOf(caller) + waiting.of(caller),
    beginNext,
  };
}
