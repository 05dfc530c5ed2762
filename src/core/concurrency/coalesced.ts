import { serialQueue } from './serial-queue.js';

/** Calls during a run share the next run. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  const queue = serialQueue();
  let next: Promise<void> | null = null;
  return () => {
    next ??= queue(() => {
      next = null;
      return work();
    });
    return next;
  };
}
