import { type Clock } from '../../core/clock.js';

/** Does the work when it was last done so long ago, or never. Calls at the same time share one; a failure does not count. */
export function throttle(clock: Clock, everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let doneAt: number | undefined;
  let underWay: Promise<void> | undefined;
  return async () => {
    const now = clock().getTime();
    // The clock may have been ahead.
    if (doneAt !== undefined && Math.abs(now - doneAt) < everyMs) return;
    underWay ??= work().finally(() => (underWay = undefined));
    await underWay;
    doneAt = now;
  };
}
