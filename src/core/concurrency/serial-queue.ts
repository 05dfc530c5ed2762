/** Does one work at a time, in the order in which they were handed in. */
export function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}

export interface WaitingRoom {
  /** Resolves when the condition holds at a `look`. */
  readonly until: (holds: () => boolean) => Promise<void>;
  readonly look: () => void;
}

export function waitingRoom(): WaitingRoom {
  const waiting = new Set<() => void>();
  return {
    until: (holds) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!holds()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    look: () => {
      for (const check of waiting) check();
    },
  };
}
