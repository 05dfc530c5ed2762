/**
 * Blobs as files named by their SHA-256: `ab/cdef…`. What stands under such a name is whole and on the disk. Any number of
 * processes may share the directory.
 */
import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  MissingBytes,
  storageAway,
  storageDenied,
  storageFull,
  type BlobStore,
  type Digest,
} from '../../core/blob-store.js';
import { codeOf } from '../../core/concurrency/retry.js';
import { type Clock } from '../../core/clock.js';
import { throttle } from '../shared/throttle.js';
import { wholeRange } from '../shared/whole-range.js';
import { INCOMING, isDenied, onceThere, OUTGOING, prepare, type Expectation } from './blob-directory.js';
import { moveIntoPlace, written } from './durable-file.js';

/** A file without a write for this long is a leftover. */
const LEFT_MS = 24 * 60 * 60 * 1000;
const TIDY_EVERY_MS = 60 * 60 * 1000;
const SHA_256 = /^[0-9a-f]{64}$/;

/** No bytes are expected where the caller has no log that could name them. */
const NO_LOG: Expectation = { hasBytes: () => Promise.resolve(false), onAway: () => undefined };

export async function directoryBlobStore(
  root: string,
  clock: Clock,
  expectation: Expectation = NO_LOG,
): Promise<BlobStore> {
  const incoming = join(root, INCOMING);
  const isThere = await prepare(root, expectation);
  const { onLeft = () => undefined } = expectation;
  // Leftovers that cannot be removed keep nobody from reading or writing.
  const tidy = throttle(clock, TIDY_EVERY_MS, () => removeLeftovers(incoming, clock, onLeft).catch(onLeft));
  if (isThere) await tidy();

  const store: BlobStore = {
    put: async (bytes) => {
      const temporary = join(incoming, randomUUID());
      try {
        await tidy();
        const blob = await written(temporary, bytes, clock);
        await moveIntoPlace(temporary, pathOf(root, blob.digest));
        return blob;
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined);
        throw refusalOf(error);
      }
    },

    read: async function* (digest, from, to) {
      if (from >= to) return;
      const file = await opened(root, digest);
      const bytes: AsyncIterable<Buffer> = file.createReadStream({ start: from, end: to - 1 });
      yield* wholeRange(bytes, digest, to - from);
    },

    exists: (digest) => exists(root, digest),

    keep: (digest) =>
      keep(root, digest, clock).catch((error: unknown) => {
        throw refusalOf(error);
      }),

    delete: (digest, before, isNamed) => remove(root, digest, { before, isNamed }, clock),
  };
  return isThere ? store : onceThere(root, store);
}

async function keep(root: string, digest: Digest, clock: Clock): Promise<boolean> {
  const path = pathOf(root, digest);
  for (;;) {
    const now = clock();
    // Who takes it away from now on asks whether it is named after that.
    if ((await unlessGone(() => utimes(path, now, now))) !== null) return true;
    const [taken] = await takenAway(root, digest);
    if (taken === undefined) return (await lastPut(path)) !== null;
    await unlessGone(() => rename(taken, path));
  }
}

async function remove(
  root: string,
  digest: Digest,
  { before, isNamed }: { readonly before: Date; readonly isNamed: () => Promise<boolean> },
  clock: Clock,
): Promise<boolean> {
  const path = pathOf(root, digest);
  const at = await lastPut(path);
  if (at !== null && at >= before) return false;
  await unlessGone(() => rename(path, join(root, OUTGOING, `${digest}.${randomUUID()}`)));
  const taken = await takenAway(root, digest);
  // What is taken away goes back if the question fails.
  let isNeeded = true;
  try {
    isNeeded = taken.length > 0 && (await isNamed());
  } finally {
    for (const one of taken) await unlessGone(() => decide(one, path, { before, isNeeded }, clock));
  }
  return !(await exists(root, digest));
}

/**
 * No other process writes under the name that the file was moved to, and `keep` moves it back. Only a file that is
 * still there is removed. A concurrent `put` may have stored the blob just before the move: it goes back, as if put
 * now.
 */
async function decide(
  taken: string,
  path: string,
  { before, isNeeded }: { readonly before: Date; readonly isNeeded: boolean },
  clock: Clock,
): Promise<void> {
  const { mtime } = await stat(taken);
  if (!isNeeded && mtime < before) {
    await rm(taken);
    return;
  }
  const now = clock();
  // It may take the place of one that was put after it.
  await utimes(taken, now, now);
  await rename(taken, path);
}

async function takenAway(root: string, digest: Digest): Promise<readonly string[]> {
  const names = await readdir(join(root, OUTGOING)).catch((error: unknown) => {
    throw codeOf(error) === 'ENOENT' ? storageAway(error) : error;
  });
  return names.filter((name) => name.startsWith(`${digest}.`)).map((name) => join(root, OUTGOING, name));
}

/** Where the file of a blob may be. While a process checks one place, the file may return to the other. */
async function* places(root: string, digest: Digest): AsyncGenerator<string> {
  for (let looks = 0; looks < 3; looks += 1) {
    yield pathOf(root, digest);
    yield* await takenAway(root, digest);
  }
}

async function exists(root: string, digest: Digest): Promise<boolean> {
  for await (const place of places(root, digest)) if ((await lastPut(place)) !== null) return true;
  return false;
}

async function opened(root: string, digest: Digest): Promise<FileHandle> {
  for await (const place of places(root, digest)) {
    const file = await unlessGone(() => open(place));
    if (file !== null) return file;
  }
  throw new MissingBytes(`There is no blob ${digest}`);
}

async function removeLeftovers(incoming: string, clock: Clock, onLeft: (error: unknown) => void): Promise<void> {
  const limit = new Date(clock().getTime() - LEFT_MS);
  for (const name of await readdir(incoming)) await removeIfLeft(join(incoming, name), limit).catch(onLeft);
}

async function removeIfLeft(path: string, limit: Date): Promise<void> {
  const writtenAt = await lastPut(path);
  if (writtenAt !== null && writtenAt < limit) await rm(path, { recursive: true, force: true });
}

function pathOf(root: string, digest: Digest): string {
  if (!SHA_256.test(digest)) throw new Error('A blob is named by a SHA-256 in hex');
  return join(root, digest.slice(0, 2), digest.slice(2));
}

/** Null without the file. */
async function lastPut(path: string): Promise<Date | null> {
  return (await unlessGone(() => stat(path)))?.mtime ?? null;
}

/** Null where there is no such file any more. */
async function unlessGone<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function refusalOf(error: unknown): unknown {
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(codeOf(error)))) return storageFull();
  return isDenied(error) || codeOf(error) === 'ENOENT' ? storageDenied(error) : error;
}
