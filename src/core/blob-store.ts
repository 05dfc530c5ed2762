/** Bytes that are too many for an event: kept apart from the log, which only names them. */
import { Problem } from './problem.js';

/** SHA-256 of the bytes, in hex: the same bytes have the same name, and are kept once. */
export type Digest = string;

export interface Blob {
  readonly digest: Digest;
  readonly size: number;
}

export const storageFull = (): Problem => new Problem('full', 'The storage for files is full');

/** Until an operator lets the service write there. */
export const storageDenied = (cause: unknown): Problem =>
  new Problem('unavailable', 'Files cannot be stored', { retryAfter: 60, cause });

/** As when its file system is not mounted. */
export const storageAway = (cause: unknown): Problem =>
  new Problem('unavailable', 'Files cannot be read', { retryAfter: 60, cause });

/** Bytes that a store must hold and has lost: only a back-up has them. */
export class MissingBytes extends Error {
  override readonly name = 'MissingBytes';
}

/** Nothing here ever holds a whole blob in memory. */
export interface BlobStore {
  /**
   * Durable when it resolves, so that an event may name it. When the source fails, nothing is kept, and its error is
   * thrown on; a Problem of kind `full` when there is no room, of kind `unavailable` when the service may not write.
   */
  put(bytes: AsyncIterable<Uint8Array>): Promise<Blob>;
  /**
   * The bytes from one offset up to another, that one excluded. Throws MissingBytes, at once or midway, when one of them
   * is missing.
   */
  read(digest: Digest, from: number, to: number): AsyncIterable<Uint8Array>;
  exists(digest: Digest): Promise<boolean>;
  /** Counts a blob as put now. False if it is gone. To be called after the event that names it: it may have come late. */
  keep(digest: Digest): Promise<boolean>;
  /**
   * Removes a blob without a `put` since `before`, unless it is named. Any `put` or `keep` that comes after `isNamed`
   * was asked prevents the removal or finds the blob gone, for any difference of clocks. True once it is not there.
   */
  delete(digest: Digest, before: Date, isNamed: () => Promise<boolean>): Promise<boolean>;
}
