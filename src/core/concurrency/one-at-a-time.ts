import { serialQueue } from './serial-queue.js';

/** Whoever asks while it is being done waits for the next time, together with all others who do. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
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
