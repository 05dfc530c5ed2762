/** Lets so many works go on at once, and so many of one caller. It refuses nobody. */
import { rotation } from './rotation.js';

export interface Turn {
  /** The works of one caller wait in the order of the calls, and callers in rotation. */
  readonly caller: string;
  /** A further work of what has begun comes before all that its caller has not begun. */
  readonly isUnderWay: boolean;
  /** If it aborts before the work has begun, it is not begun, and the reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

export interface FairLimit {
  /** The work ends when it is done, or calls `end`. */
  readonly run: <T>(work: (end: () => void) => Promise<T>, turn: Turn) => Promise<T>;
  /** Whether a work of this caller would have to wait. */
  readonly isFull: (caller: string) => boolean;
}

export function fairLimit({ most, mostOfOne }: { readonly most: number; readonly mostOfOne: number }): FairLimit {
  const waiting = rotation<() => void>();
  const underWay = new Map<string, number>();
  let total = 0;
  const of = (caller: string): number => underWay.get(caller) ?? 0;
  const isFree = (caller: string): boolean => total < most && of(caller) < mostOfOne;
  const take = (caller: string): void => {
    underWay.set(caller, of(caller) + 1);
    total += 1;
  };
  const give = (caller: string): void => {
    if (of(caller) > 1) underWay.set(caller, of(caller) - 1);
    else underWay.delete(caller);
    total -= 1;
    waiting.next(isFree)?.();
  };
  const place = ({ caller, isUnderWay, signal }: Turn): Promise<void> =>
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
      signal?.addEventListener('abort', leave, { once: true });
      waiting.add(begin, caller, isUnderWay);
    });
  return {
    isFull: (caller) => !isFree(caller),
    run: async (work, turn) => {
      const { caller, signal } = turn;
      signal?.throwIfAborted();
      if (isFree(caller)) take(caller);
      else await place(turn);
      let isOver = false;
      const end = (): void => {
        if (!isOver) give(caller);
        isOver = true;
      };
      try {
        return await work(end);
      } finally {
        end();
      }
    },
  };
}
