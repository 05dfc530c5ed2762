/** The bytes of blobs, held against their digests: for copies and checks. */
import { createHash } from 'node:crypto';
import { type Blob, type BlobStore } from '../core/blob-store.js';
import { messageOf } from '../core/concurrency/retry.js';
import { Problem } from '../core/problem.js';

/** The bytes under a digest have another, or cannot be read. */
export class Spoilt extends Error {
  override readonly name = 'Spoilt';
}

/** Fails before its end if the digest differs, so that a store keeps nothing. */
export async function* verifiedBytes({ digest, size }: Blob, store: BlobStore): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  try {
    for await (const bytes of store.read(digest, 0, size)) {
      hash.update(bytes);
      yield bytes;
    }
  } catch (cause) {
    // A store that does not answer may have them all the same.
    if (cause instanceof Problem) throw cause;
    throw new Spoilt(`the blob ${digest} cannot be read: ${messageOf(cause)}`, { cause });
  }
  if (hash.digest('hex') !== digest) throw new Spoilt(`the blob ${digest} is damaged`);
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
