import { temporarilyUnavailable } from './problem.js';
import { beginning, concurrencyLimit, type End } from './concurrency/concurrency-limit.js';

const AT_ONCE = 8;

/** Of the process, because they share its memory. */
const longReading = concurrencyLimit({
  fewest: AT_ONCE,
  most: AT_ONCE,
  // A slow one is no sign of overload: some are longer than others.
  slowMs: Infinity,
  mostWaiting: 1000,
  patienceMs: 10_000,
  refused: () => temporarilyUnavailable('Too many long readings are under way; retry later'),
});

/**
 * To be awaited by a request before it reads what may take many megabytes of memory. What is read is released before
 * the end. A request that is in a long reading begins no other one, and waits for no client.
 */
export const beginLongReading = (gone?: AbortSignal): Promise<End> => beginning(longReading, gone);
