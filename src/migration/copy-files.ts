import { type Blob, type BlobStore, type Digest } from '../core/blob-store.js';
import { type ReferencedBlob, type ReferencedBlobs } from '../files/referenced-blobs.js';
import { isWhole, Spoilt, verifiedBytes } from '../files/verified-bytes.js';

/** Later than every put. */
const ANY_TIME = new Date(8_640_000_000_000_000);

export interface Files {
  readonly source: BlobStore;
  readonly target: BlobStore;
  readonly named: ReferencedBlobs;
  /** What the target is known to hold. */
  readonly there: Set<Digest>;
}

/**
 * Copies what the log names and the target lacks, or has damaged. `lacking` is told of bytes that a file needs and neither
 * side has as they were.
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
  const isThere = await target.exists(blob.digest);
  if (isThere && (await isWhole(blob, target))) return 'there';
  if (!(await source.exists(blob.digest))) return 'lacking';
  try {
    if (isThere) await makeRoom(blob, source, target);
    await target.put(verifiedBytes(blob, source));
    return 'copied';
  } catch (error) {
    if (error instanceof Spoilt) return 'lacking';
    throw error;
  }
}

/** For whole bytes in place of damaged ones: a store may keep what it has under the digest. */
async function makeRoom(blob: Blob, source: BlobStore, target: BlobStore): Promise<void> {
  if (!(await isWhole(blob, source))) throw new Spoilt(`the blob ${blob.digest} is damaged on both sides`);
  await target.delete(blob.digest, ANY_TIME, () => Promise.resolve(false));
}
