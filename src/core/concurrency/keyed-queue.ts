import { type StreamName } from '../event-log.js';

/** The last of the work queued on each stream, per log: held by the log's own life, so two services share nothing. */
const queues = new WeakMap<object, Map<StreamName, Promise<unknown>>>();

/** Runs work on one stream one after the other, in the order of the calls; other streams are not kept waiting. */
export async function inTurn<T>(log: object, stream: StreamName, work: () => Promise<T>): Promise<T> {
  const tails = queues.get(log) ?? new Map<StreamName, Promise<unknown>>();
  queues.set(log, tails);

  const turn = (tails.get(stream) ?? Promise.resolve()).then(work, work);
  tails.set(stream, turn);
  try {
    return await turn;
  } finally {
    if (tails.get(stream) === turn) tails.delete(stream);
  }
}
