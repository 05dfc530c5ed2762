export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Does one work at a time, in the order in which they were handed in. */
export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
