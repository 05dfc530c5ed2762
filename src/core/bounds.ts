/** How large what a client sends may grow, and everything made of it. docs/limits.md lists each; a spec tries each. */
import { totalmem } from 'node:os';

/** Data and metadata of one event as JSON in UTF-8. Events of one append count together, as a server counts them. */
export const MAX_EVENT_BYTES = 1_000_000;

/** Kept free in an event that is judged before all of it is known: ids, numbers of labels, the name of its command. */
export const RESERVED_BYTES = 1000;

/** Of a string, of a text and of a comment, in UTF-8. */
export const MAX_TEXT_BYTES = 65_535;
/** Of a text that is looked for in others, in characters: to compare both takes up to the product of their lengths. */
export const MAX_SEARCHED = 1000;
/** Of one value: of a selection, an open list, a file field, a permission field. */
export const MAX_LIST_ITEMS = 1000;
/** Of one artifact, over all its lists: an answer shows much more of each than the artifact holds. */
export const MAX_ARTIFACT_ITEMS = 10_000;
/** From one artifact to others, over all its fields. */
export const MAX_LINKS = 1000;
/** To one artifact from others: those that are shown with it, by id. The rest is read in pages. */
export const MAX_REVERSE_LINKS = 1000;
/** To one artifact: those that its deletion keeps for the archive, by id. */
export const MAX_ARCHIVED_LINKS = 5000;
/** All values of one artifact as JSON in UTF-8. */
export const MAX_ARTIFACT_BYTES = 2_097_152;
/** Of one list: those of its definition and those that users added. */
export const MAX_LABELS = 10_000;

/** Of one list: labels that users added, as a tracker shows them. The rest is read in pages. */
export const MAX_SHOWN_LABELS = 1000;

/** Of one user. Every key is held in memory, with its user. */
export const MAX_ACCESS_KEYS = 200;
/** Of one user: signed out one by one, and not expired when the one signed out last was issued. */
export const MAX_REVOKED_TOKENS = 1000;
/** Of one user: those that came in chunks over the API and are neither attached nor discarded. */
export const MAX_TEMPORARY_FILES = 200;
/** Of one user: those that were announced and are neither attached nor discarded. */
export const MAX_RESUMABLE_UPLOADS = 200;
/** That these promise together. One that promises more is taken while no other promises any. */
export const MAX_PROMISED_BYTES = 68_719_476_736;

/** Of data and metadata, about: once it has so much, a reading of a stream takes no further event. */
export const READ_BYTES = 4 * 1024 * 1024;

/** Of one write. An artifact needs few, and each stays in its list for ever. */
export const MAX_NEW_LABELS = 100;
/** Of one write; each costs a look at its own stream. */
export const MAX_NEW_FILES = 100;

/** 0 for a value that has no JSON: its store refuses the value. */
export function jsonBytes(value: unknown): number {
  const json: unknown = JSON.stringify(value);
  return typeof json === 'string' ? Buffer.byteLength(json) : 0;
}

/** A bound holds what grows. What is beyond it already, from an older release, may stay and may shrink. */
export const exceeds = (bound: number, size: number, before = 0): boolean => size > bound && size > before;

/** Of the heap: what a member takes beside its characters, as measured with artifacts of 25 fields. */
const MEMBER_SIZE = 64;

const BEYOND_LATIN_1 = /[\u0100-\uffff]/;

/** Of the heap, in bytes: one character beyond Latin-1 makes each of a text take two. */
export const textSize = (text: string): number => (BEYOND_LATIN_1.test(text) ? 2 * text.length : text.length);

/** Of the heap, in bytes, about. Not looked at further once it is more than `most`. Values may be chains of any depth. */
export function heapSize(value: unknown, most = Infinity): number {
  const left = [value];
  let size = 0;
  for (let next = left.pop(); size <= most && (next !== undefined || left.length > 0); next = left.pop()) {
    size += typeof next === 'string' ? textSize(next) : MEMBER_SIZE;
    for (const part of partsOf(next)) left.push(part);
  }
  return size;
}

function partsOf(value: unknown): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return [];
  return value instanceof Map || value instanceof Set ? value : Object.values(value);
}

/** Of the machine, or of the container that limits this process; in bytes. */
const MEMORY = Math.min(totalmem(), process.constrainedMemory() || Infinity);

/** With so much memory, or more, caches have their full size. */
const ENOUGH_MEMORY = 2 * 1024 * 1024 * 1024;

/** Of a cache that may take `most`: on a smaller machine, a part. */
export const cacheSize = (most: number, memory = MEMORY): number =>
  Math.floor(most * Math.min(1, memory / ENOUGH_MEMORY));

/** Options of an LRU cache that keeps so many entries. Where `max` is set, it takes memory for all of them at once. */
export const atMost = (entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: () => 1,
});
