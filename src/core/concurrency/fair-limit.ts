/**
 * Lets so many works go on at once, and refuses none. Callers have shares of them. Those that wait, and may have one more,
 * have it in rotation.
 */
import { othersTurn } from './others-turn.js';
import { rotation } from './rotation.js';
import { sharesOf } from './shares.js';

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
  readonly run: <T>(work: () => Promise<T>, caller: string, leaving?: () => AbortSignal) => Promise<T>;
  readonly beginNext: () => void;
}

export function fairLimit({ most, mayBegin = () => true }: FairLimitOptions): FairLimit {
  const waiting = rotation<() => void>();
  // Whoever has no place may take the last one.
  const shares = sharesOf(most + 1);
  const isFree = (caller: string): boolean => shares.lack(caller, 1) <= 0 && mayBegin(caller);
  const beginNext = (): void => {
    for (let begin = waiting.next(isFree); begin !== undefined; begin = waiting.next(isFree)) begin();
  };
  const place = (caller: string, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        shares.add(caller, 1);
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
  return {
    run: async (work, caller, leaving) => {
      const waits = !isFree(caller);
      const signal = waits ? leaving?.() : undefined;
      if (waits) await place(caller, signal);
      else shares.add(caller, 1);
      try {
        // Of works that end at once, one would begin the next until none is left, and nobody would hear who has left.
        if (waits) await othersTurn();
        signal?.throwIfAborted();
        return await work();
      } finally {
        shares.add(caller, -1);
        beginNext();
      }
    },
    beginNext,
  };
}
