/** The last of the work queued under each key, by owner: held by the owner's own life, so two services share nothing. */
const queues = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Does the work under one key one after the other, in the order of the calls; other keys are not kept waiting. */
export async function enqueue<T>(owner: object, key: string, work: () => Promise<T>): Promise<T> {
  const tails = queues.get(owner) ?? new Map<string, Promise<unknown>>();
  queues.set(owner, tails);

  const turn = (tails.get(key) ?? Promise.resolve()).then(work, work);
  tails.set(key, turn);
  try {
    return await turn;
  } finally {
    if (tails.get(key) === turn) tails.delete(key);
  }
}
