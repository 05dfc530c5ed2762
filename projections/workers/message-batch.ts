/** Messages of one turn of the event loop, sent as one: waking the other thread costs more than what it reads. */
export interface MessageBatch<T> {
  readonly add: (message: T) => void;
  /** Sends what has been added, without waiting for the end of the turn. */
  readonly flush: () => void;
}

export function messageBatch<T>(send: (messages: readonly T[]) => void): MessageBatch<T> {
  let added: T[] = [];
  const flush = (): void => {
    if (added.length === 0) return;
    const messages = added;
    added = [];
    send(messages);
  };
  return {
    add: (message) => {
      // A tick that a microtask schedules runs after all microtasks of the turn.
      if (added.length === 0)
        queueMicrotask(() => {
          process.nextTick(flush);
        });
      added.push(message);
    },
    flush,
  };
}
