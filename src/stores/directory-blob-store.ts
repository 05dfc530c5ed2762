/** Blobs as files named by their SHA-256: `ab/cdef…`. What stands under such a name is whole and on the disk. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Blob, type BlobStore, type Digest } from '../core/blob-store.js';
import { type Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { inTurn } from '../core/turns.js';

/** What is not whole yet. Emptied at the start: one service at a time has the directory. */
const INCOMING = 'incoming';
const SHA_256 = /^[0-9a-f]{64}$/;
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

export async function directoryBlobStore(root: string, clock: Clock): Promise<BlobStore> {
  const incoming = join(root, INCOMING);
  await mkdir(incoming, { recursive: true, mode: DIRECTORY_MODE });
  for (const leftover of await readdir(incoming)) await rm(join(incoming, leftover), { recursive: true });
  const store = {};
  // A deletion must not fall between the moment when somebody puts the blob again and the look at when that was.
  const alone = <T>(digest: Digest, work: () => Promise<T>): Promise<T> => inTurn(store, `blob-${digest}`, work);

  return {
    put: async (bytes) => {
      const temporary = join(incoming, randomUUID());
      try {
        const blob = await written(temporary, bytes, clock);
        await alone(blob.digest, () => placed(temporary, pathOf(root, blob.digest)));
        return blob;
      } catch (error) {
        await rm(temporary, { force: true });
        throw isFull(error) ? new Problem('full', 'There is no room left for the bytes of files') : error;
      }
    },

    read: async function* (digest, from, to) {
      if (from >= to) return;
      const bytes: AsyncIterable<Buffer> = createReadStream(pathOf(root, digest), { start: from, end: to - 1 });
      yield* bytes;
    },

    exists: async (digest) => (await lastPut(pathOf(root, digest))) !== null,

    delete: (digest, before) =>
      alone(digest, async () => {
        const path = pathOf(root, digest);
        const at = await lastPut(path);
        if (at !== null && at >= before) return false;
        await rm(path, { force: true });
        return true;
      }),
  };
}

function pathOf(root: string, digest: Digest): string {
  if (!SHA_256.test(digest)) throw new Error('A blob is named by a SHA-256 in hex');
  return join(root, digest.slice(0, 2), digest.slice(2));
}

async function written(path: string, bytes: AsyncIterable<Uint8Array>, clock: Clock): Promise<Blob> {
  const file = await open(path, 'wx', FILE_MODE);
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of bytes) {
      hash.update(chunk);
      await writeWhole(file, chunk);
      size += chunk.byteLength;
    }
    const now = clock();
    await file.utimes(now, now);
    await file.sync();
    return { digest: hash.digest('hex'), size };
  } finally {
    await file.close();
  }
}

async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let from = 0; from < chunk.byteLength;) from += (await file.write(chunk, from)).bytesWritten;
}

/** In place of a blob of the same name: its bytes are the same, its time is the newer one. */
async function placed(temporary: string, path: string): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
  await rename(temporary, path);
  await sync(directory);
  await sync(dirname(directory));
}

/** A name is on the disk once its directory is. */
async function sync(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Null without the file. */
async function lastPut(path: string): Promise<Date | null> {
  try {
    return (await stat(path)).mtime;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error));

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
