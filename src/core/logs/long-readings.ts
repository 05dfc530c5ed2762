import { temporarilyUnavailable } from '../problem.js';
import { beginning, concurrencyLimit, type End } from '../concurrency/concurrency-limit.js';

const AT_ONCE = 8;
const FIRST_SLICES = 16;

/** Of the process, because they share its memory. A slow one is no sign of overload: some are longer than others. */
const limitOf = (most: number) =>
  concurrencyLimit({
    fewest: most,
    most,
    slowMs: Infinity,
    mostWaiting: 1000,
    patienceMs: 10_000,
    refused: () => temporarilyUnavailable('Too many long readings are under way; retry later'),
  });

const [longReading, firstSlice] = [limitOf(AT_ONCE), limitOf(FIRST_SLICES)];

/** Reads the first slice of what may be long. Before it is there, nothing tells whether it is all. */
export const readFirstSlice = <T>(read: () => Promise<T>, gone?: AbortSignal): Promise<T> =>
  firstSlice(read, undefined, gone);

/**
 * To be awaited by a request before it reads what may take many megabytes of memory. What is read is released before
 * the end. A request that is in a long reading begins no other one, and waits for no client.
 */
export const beginLongReading = (gone?: AbortSignal): Promise<End> => beginning(longReading, gone);
