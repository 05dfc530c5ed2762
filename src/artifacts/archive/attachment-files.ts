/** The bytes of an archived artifact's files, each in a file of its own beside the document. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type BlobStore } from '../../core/blob-store.js';
import { Spoilt, verifiedBytes } from '../../files/verified-bytes.js';
import { writeArchiveFile } from './archive-file.js';
import { type Attachment } from './attachments.js';

export interface StoredAttachment extends Attachment {
  /** Null for a file of which nothing is known, or whose bytes were erased. */
  readonly stored: {
    /** From where the document is. Made of ids alone, because users choose the names. */
    readonly path: string;
    /** SHA-256 of the whole, in hex. */
    readonly digest: string;
  } | null;
}

/**
 * `folder` is a name in the directory. One after the other, and never a file wholly in memory. Throws if bytes are missing
 * or damaged that were not erased: they may be restored yet.
 */
export async function storeAttachments(
  attachments: readonly Attachment[],
  { directory, folder }: { readonly directory: string; readonly folder: string },
  blobs: BlobStore,
): Promise<readonly StoredAttachment[]> {
  const stored: StoredAttachment[] = [];
  for (const attachment of attachments) {
    if (attachment.info === null || attachment.erased) {
      stored.push({ ...attachment, stored: null });
      continue;
    }
    const hash = createHash('sha256');
    const name = String(attachment.id);
    await writeArchiveFile(
      join(directory, folder),
      name,
      bytesOf(attachment, blobs, (bytes) => hash.update(bytes)),
    );
    stored.push({ ...attachment, stored: { path: `${folder}/${name}`, digest: hash.digest('hex') } });
  }
  return stored;
}

async function* bytesOf(
  { id, chunks }: Attachment,
  blobs: BlobStore,
  seen: (bytes: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for (const chunk of chunks) {
      for await (const bytes of verifiedBytes(chunk, blobs)) {
        seen(bytes);
        yield bytes;
      }
    }
  } catch (error) {
    if (!(error instanceof Spoilt)) throw error;
    throw new Error(`file ${id} cannot be archived: ${error.message}`, { cause: error });
  }
}
