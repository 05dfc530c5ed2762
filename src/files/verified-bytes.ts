/** The bytes of blobs, held against their digests. */
import { createHash } from 'node:crypto';
import { type Blob, type BlobStore, type Digest } from '../core/blob-store.js';
import { messageOf } from '../core/concurrency/retry.js';
import { Problem } from '../core/problem.js';

/** The bytes under a digest have another, or cannot be read. */
export class Spoilt extends Error {
  override readonly name = 'Spoilt';
}

/** All bytes of a blob. Holds back the last piece until the digest matches, so that damaged bytes never end normally. */
export async function* checkedBytes(bytes: AsyncIterable<Uint8Array>, digest: Digest): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let last: Uint8Array | null = null;
  for await (const next of bytes) {
    hash.update(next);
    if (last !== null) yield last;
    last = next;
  }
  if (hash.digest('hex') !== digest) throw new Spoilt(`the blob ${digest} is damaged`);
  if (last !== null) yield last;
}

/** Whatever keeps the bytes from being read counts as damage. */
export async function* verifiedBytes({ digest, size }: Blob, store: BlobStore): AsyncGenerator<Uint8Array> {
  try {
    yield* checkedBytes(store.read(digest, 0, size), digest);
  } catch (cause) {
    // A store that does not answer may have them all the same.
    if (cause instanceof Problem || cause instanceof Spoilt) throw cause;
    throw new Spoilt(`the blob ${digest} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** Read to their end; false where they are others, or not there. */
export async function isWhole(blob: Blob, store: BlobStore): Promise<boolean> {
  if (!(await store.exists(blob.digest))) return false;
  const bytes = verifiedBytes(blob, store);
  try {
    while ((await bytes.next()).done !== true);
    return true;
  } catch (error) {
    if (error instanceof Spoilt) return false;
    throw error;
  }
}
