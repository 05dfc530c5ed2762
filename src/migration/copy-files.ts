import { type Blob, type BlobStore, type Digest } from '../core/blob-store.js';
import { type ReferencedBlob, type ReferencedBlobs } from '../files/referenced-blobs.js';
import { Spoilt, verifiedBytes } from '../files/verified-bytes.js';

export interface Files {
  readonly source: BlobStore;
  readonly target: BlobStore;
  readonly named: ReferencedBlobs;
  /** What the target is known to hold. */
  readonly there: Set<Digest>;
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
    await target.put(verifiedBytes(blob, source));
    return 'copied';
  } catch (error) {
    if (error instanceof Spoilt) return 'lacking';
    throw error;
  }
}
