import { createHash } from 'node:crypto';
import { type Blob, type BlobStore, type Digest } from '../core/blob-store.js';
import { Problem } from '../core/problem.js';
import { type ReferencedBlob, type ReferencedBlobs } from '../files/referenced-blobs.js';

export interface Files {
  readonly source: BlobStore;
  readonly target: BlobStore;
  readonly named: ReferencedBlobs;
  /** What the target is known to hold. */
  readonly there: Set<Digest>;
}

/** The bytes under a digest have another, or cannot be read. */
class Spoilt extends Error {
  override readonly name = 'Spoilt';
}

/**
 * Copies what the log names and the target lacks; what is there stays as it is. `lacking` is told of bytes that a file
 * needs and the source does not have, or not as they were.
 */
export async function copyFiles(
  files: Files,
  lacking: (blob: ReferencedBlob) => void,
  looked: () => void,
  signal: AbortSignal,
): Promise<number> {
  let copied = 0;
  for (const blob of files.named.all()) {
    signal.throwIfAborted();
    if (!files.there.has(blob.digest) && blob.fate !== 'erased') {
      const outcome = await copy(files, blob);
      if (outcome !== 'lacking') files.there.add(blob.digest);
      else if (blob.fate === 'kept') lacking(blob);
      if (outcome === 'copied') copied += 1;
    }
    looked();
  }
  return copied;
}

async function copy({ source, target }: Files, blob: Blob): Promise<'there' | 'copied' | 'lacking'> {
  if (await target.exists(blob.digest)) return 'there';
  if (!(await source.exists(blob.digest))) return 'lacking';
  try {
    await target.put(verified(blob, source));
    return 'copied';
  } catch (error) {
    if (error instanceof Spoilt) return 'lacking';
    throw error;
  }
}

/** Fails before its end if the digest differs, so that the blob store keeps nothing. */
async function* verified({ digest, size }: Blob, store: BlobStore): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  try {
    for await (const bytes of store.read(digest, 0, size)) {
      hash.update(bytes);
      yield bytes;
    }
  } catch (cause) {
    // A store that does not answer may have them all the same.
    if (cause instanceof Problem) throw cause;
    throw new Spoilt(`The bytes under ${digest} cannot be read`, { cause });
  }
  if (hash.digest('hex') !== digest) throw new Spoilt(`The bytes under ${digest} are others`);
}

/** Read to their end; false where they are others, or not there. */
export async function isWhole(blob: Blob, store: BlobStore): Promise<boolean> {
  if (!(await store.exists(blob.digest))) return false;
  const bytes = verified(blob, store);
  try {
    while ((await bytes.next()).done !== true);
    return true;
  } catch (error) {
    if (error instanceof Spoilt) return false;
    throw error;
  }
}
