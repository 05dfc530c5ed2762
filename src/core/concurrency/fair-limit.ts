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
  const [known, underWay] = [counts(), counts()];
  let total = 0;
  const isFree = (caller: string): boolean => underWay.of(caller) < most - total && mayBegin(caller);
  const rankOf = (caller: string): number => (isFree(caller) ? underWay.of(caller) : Infinity);
  const next = (): (() => void) | undefined => (total < most ? waiting.next(rankOf) : undefined);
  const take = (caller: string): void => {
    total += 1;
    underWay.add(caller, 1);
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
  const inPlace = async <T>(work: () => Promise<T>, caller: string): Promise<T> => {
    try {
      return await work();
    } finally {
      total -= 1;
      underWay.add(caller, -1);
      beginNext();
    }
  };
  return {
    run: async (work, caller, leaving) => {
      known.add(caller, 1);
      try {
        if (isFree(caller)) take(caller);
        else await place(caller, leaving?.());
        return await inPlace(work, caller);
      } finally {
        known.add(caller, -1);
      }
    },
    of: known.of,
    beginNext,
  };
}

function counts() {
  const by = new Map<string, number>();
  const of = (caller: string): number => by.get(caller) ?? 0;
  const add = (caller: string, more: number): void => {
    const now = of(caller) + more;
    if (now === 0) by.delete(caller);
    else by.set(caller, now);
  };
  return { of, add };
}
