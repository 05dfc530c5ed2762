/** Files that are on the disk once they are written, under the names that they are given. */
import { createHash } from 'node:crypto';
import { mkdir, open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Blob } from '../../core/blob-store.js';
import { type Clock } from '../../core/clock.js';
import { codeOf } from '../../core/concurrency/retry.js';

export const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

export async function written(path: string, bytes: AsyncIterable<Uint8Array>, clock: Clock): Promise<Blob> {
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
export async function moveIntoPlace(temporary: string, path: string): Promise<void> {
  const directory = dirname(path);
  // `recursive` of Node 20 answers ENOENT for a file system that is full or read-only.
  await mkdir(directory, { mode: DIRECTORY_MODE }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await rename(temporary, path);
  await syncDirectory(directory);
  await syncDirectory(dirname(directory));
}

/** A name is on the disk once its directory is. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
