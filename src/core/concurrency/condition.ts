interface WaitLimits {
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** What holds depends on a state. The code that changes the state notifies those who wait. */
export interface Condition {
  /** True once it holds, now or at a `notify`; false if patience is over, or the signal aborts, before that. */
  readonly until: (holds: () => boolean, limits?: WaitLimits) => Promise<boolean>;
  readonly notify: () => void;
  /** Ends with the first whose condition does not hold. */
  readonly notifyInOrder: () => void;
  /** How many callers wait right now. */
  readonly waiting: () => number;
}

export function condition(): Condition {
  /** Each tells whether it goes on. */
  const waiting = new Set<() => boolean>();
  return {
    until: (holds, { patienceMs, signal } = {}) => {
      if (holds()) return Promise.resolve(true);
      if (signal?.aborted === true) return Promise.resolve(false);
      return new Promise((resolve) => {
        const settle = (isHeld: boolean): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          waiting.delete(check);
          resolve(isHeld);
        };
        const check = (): boolean => {
          const isHeld = holds();
          if (isHeld) settle(true);
          return isHeld;
        };
        const giveUp = (): void => {
          settle(false);
        };
        const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
        signal?.addEventListener('abort', giveUp);
        waiting.add(check);
      });
    },
    notify: () => {
      for (const check of waiting) check();
    },
    notifyInOrder: () => {
      for (const check of waiting) if (!check()) return;
    },
    waiting: () => waiting.size,
  };
}
