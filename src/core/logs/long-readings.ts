import { temporarilyUnavailable } from '../problem.js';
import { beginning, concurrencyLimit, type End } from '../concurrency/concurrency-limit.js';

/** Each holds what it has come to between its slices: as much as the largest state of an artifact. */
const READINGS = 32;
const SLICES = 8;
const FIRST_SLICES = 16;
const LOOKS = 8;
/** 20,000 artifacts take 50 MB, and so do a million links. */
const HIERARCHIES = 4;
const AS_LONG_AS_AN_ANSWER_MS = 600_000;

/** Of the process, because they share its memory. A slow one is no sign of overload: some are longer than others. */
const limitOf = (most: number, { mostWaiting = 1000, patienceMs = 30_000 } = {}) =>
  concurrencyLimit({
    most,
    mostWaiting,
    patienceMs,
    refused: () => temporarilyUnavailable('Too many long readings are under way; retry later'),
  });

/** An error could break an answer that has begun. */
const NOT_REFUSED = { mostWaiting: Infinity, patienceMs: AS_LONG_AS_AN_ANSWER_MS };

const readings = limitOf(READINGS);
/** Of requests that have read the stream before. */
const furtherReadings = limitOf(READINGS, NOT_REFUSED);
/** Of those that were let in by another limit. */
const slices = limitOf(SLICES, NOT_REFUSED);
const firstSlices = limitOf(FIRST_SLICES);
const hierarchies = limitOf(HIERARCHIES);
const looks = limitOf(LOOKS);

export interface ReadingTurns {
  /** Before the first slice of what may be long. */
  readonly first: () => Promise<End>;
  /** Before each further one. It is released before the end, and whoever waits for the next one comes after all others. */
  readonly slice: () => Promise<End>;
  /** Before what may take more than one slice has come to anything that it would hold meanwhile. */
  readonly further: () => Promise<End>;
}

/**
 * To be awaited by a request that reads a stream. In a long reading, it begins no other one, and waits for no client. If it
 * has read the stream before, it takes all turns among the slices of all others, and is not refused.
 */
export const readingTurns = (gone?: AbortSignal, follows = false): ReadingTurns => ({
  first: () => beginning(follows ? slices : firstSlices, gone),
  slice: () => beginning(slices, gone),
  further: () => beginning(follows ? furtherReadings : readings, gone),
});

/** To be awaited by a request before it holds many artifacts that are linked, or many links of these. */
export const beginHierarchy = (gone?: AbortSignal): Promise<End> => beginning(hierarchies, gone);

/** Looks at artifacts slice by slice, and holds what they are no longer. */
export const inLook = <T>(look: () => Promise<T>, gone?: AbortSignal): Promise<T> => looks(look, gone);
