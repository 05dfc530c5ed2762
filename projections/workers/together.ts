/** Sends what is told in one turn of the thread as one message: a message costs as much as ten within one. */
export interface Together<T> {
  readonly tell: (message: T) => void;
  /** What has been told is sent now. */
  readonly flush: () => void;
}

export function together<T>(send: (messages: readonly T[]) => void): Together<T> {
  let told: T[] = [];
  const flush = (): void => {
    if (told.length === 0) return;
    const messages = told;
    told = [];
    send(messages);
  };
  return {
    tell: (message) => {
      // After all promises that are settled by now: a tick that a promise asks for waits for them.
      if (told.length === 0)
        queueMicrotask(() => {
          process.nextTick(flush);
        });
      told.push(message);
    },
    flush,
  };
}
