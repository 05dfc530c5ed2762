interface WaitLimits {
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}

/** What holds depends on a state. The code that changes the state notifies those who wait. */
export interface Condition {
  /** True once it holds, now or at a `notify`; false if patience is over, or the signal aborts, before that. */
  readonly until: (holds: () => boolean, limits?: WaitLimits) => Promise<boolean>;
  readonly notify: () => void;
  /** Whether a caller waits right now. */
  readonly isWaitedFor: () => boolean;
}

export function condition(): Condition {
  const waiting = new Set<() => void>();
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
        const check = (): void => {
          if (holds()) settle(true);
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
    isWaitedFor: () => waiting.size > 0,
  };
}
