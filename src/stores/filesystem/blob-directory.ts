/** The directory of a blob store as a start finds it: usable, refused, or away. */
import { access, constants, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { storageAway, storageDenied, type BlobStore } from '../../core/blob-store.js';
import { codeOf, messageOf } from '../../core/concurrency/retry.js';
import { makeDirectory } from '../shared/make-directory.js';
import { DIRECTORY_MODE } from './durable-file.js';

/** What is not whole yet. */
export const INCOMING = 'incoming';
/** What is looked at to be removed: a blob all the same until it is. A crash may leave some for the next removal. */
export const OUTGOING = 'outgoing';

/** What is done about a directory in which no start has ever made a store, or which has lost it. */
export interface Expectation {
  /** Whether the log names bytes that the store must hold. */
  readonly hasBytes: () => Promise<boolean>;
  /** It must: the directory is not the store. Nothing is made in it. */
  readonly onAway: (reason: string) => void;
  /** A leftover of an upload cannot be removed. Called once an hour at most for each. */
  readonly onLeft?: (error: unknown) => void;
}

const AWAY =
  'the directory of files holds no bytes, but the log names some: mount its file system, or restore it from a back-up; ' +
  'if the bytes are lost for good, make the empty directory 00 in it';

/**
 * Whether the store is there. What a process may only read is no reason to refuse its blobs. Only the start makes
 * directories: later, their lack tells that a file system is not mounted any longer, and what is below its mount point is
 * not the store.
 */
export async function prepare(root: string, { hasBytes, onAway }: Expectation): Promise<boolean> {
  const isThere = (await using(root, () => hasHeldBytes(root))) || !(await hasBytes());
  if (isThere) await using(root, () => makeStore(root));
  else onAway(AWAY);
  return isThere;
}

/** Refuses all work on a directory that was found to be away, until it is there: a start before may have left some of it below the mount point. */
export function onceThere(root: string, store: BlobStore): BlobStore {
  let isThere = false;
  const refuse = async (refusal: (cause: unknown) => Error): Promise<void> => {
    isThere ||= await hasHeldBytes(root);
    if (!isThere) throw refusal(new Error(AWAY));
  };
  const there = async <T>(work: () => Promise<T>): Promise<T> => {
    await refuse(storageAway);
    return work();
  };
  return {
    put: async (bytes) => {
      await refuse(storageDenied);
      return store.put(bytes);
    },
    read: async function* (...range) {
      await refuse(storageAway);
      yield* store.read(...range);
    },
    exists: (digest) => there(() => store.exists(digest)),
    keep: (digest) => there(() => store.keep(digest)),
    delete: (...removal) => there(() => store.delete(...removal)),
  };
}

/** These directories stay, also when no blob is left. A start makes the others before any byte has come. */
async function hasHeldBytes(root: string): Promise<boolean> {
  try {
    return (await readdir(root)).some((name) => /^[0-9a-f]{2}$/.test(name));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function makeStore(root: string): Promise<void> {
  makeDirectory(root, DIRECTORY_MODE);
  await access(root, constants.R_OK | constants.X_OK);
  try {
    for (const name of [INCOMING, OUTGOING]) makeDirectory(join(root, name), DIRECTORY_MODE);
  } catch (error) {
    if (!isDenied(error)) throw error;
  }
}

async function using<T>(root: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw new Error(`The directory of files ${root} cannot be used: ${messageOf(error)}`, { cause: error });
  });
}

export const isDenied = (error: unknown): boolean => ['EACCES', 'EPERM', 'EROFS'].includes(String(codeOf(error)));
