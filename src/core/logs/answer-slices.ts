/** Slices of answers that hold documents and their texts while they are made. */
import { cacheSize } from '../bounds.js';
import { fairLimit } from '../concurrency/fair-limit.js';

/** Each may hold some megabytes. On less memory, fewer. */
const slices = fairLimit({ most: cacheSize(32), mostOfOne: cacheSize(8) });

const NO_REQUEST = new AbortController().signal;
const callers = new WeakMap<AbortSignal, string>();
const ends = new WeakMap<AbortSignal, () => void>();

/** The request of this signal is one of this caller. */
export function noteCaller(gone: AbortSignal, caller: string): void {
  callers.set(gone, caller);
}

const callerOf = (gone: AbortSignal): string => callers.get(gone) ?? '';

/** Whoever has read a slice already should let go of it: its turn comes later. */
export const isWaitedFor = (gone = NO_REQUEST): boolean => slices.isFull(callerOf(gone));

/** `isUnderWay`: another slice of the answer has been made. */
export const makeSlice = <T>(make: () => Promise<T>, gone = NO_REQUEST, isUnderWay = false): Promise<T> =>
  slices.run(
    (end) => {
      ends.set(gone, end);
      return make();
    },
    { caller: callerOf(gone), isUnderWay, signal: gone },
  );

/** For a request that waits for something else, and needs no turn any longer once it has that. */
export function endSlice(gone: AbortSignal): void {
  ends.get(gone)?.();
}
