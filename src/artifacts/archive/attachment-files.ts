/** The bytes of an archived artifact's files, each in a file of its own beside the document. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type BlobStore } from '../../core/blob-store.js';
import { writeArchiveFile } from './archive-file.js';
import { type Attachment } from './attachments.js';

export interface StoredAttachment extends Attachment {
  /** Null for a file of which there are no bytes, or not all. */
  readonly stored: {
    /** From where the document is. Made of ids alone, because users choose the names. */
    readonly path: string;
    /** SHA-256 of the whole, in hex. */
    readonly digest: string;
  } | null;
}

/** `folder` is a name in the directory. One after the other, and never a file wholly in memory. */
export async function storeAttachments(
  attachments: readonly Attachment[],
  { directory, folder }: { readonly directory: string; readonly folder: string },
  blobs: BlobStore,
): Promise<readonly StoredAttachment[]> {
  const stored: StoredAttachment[] = [];
  for (const attachment of attachments) {
    const isWhole = attachment.info !== null && (await hasAll(attachment, blobs));
    if (!isWhole) {
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

async function hasAll({ chunks }: Attachment, blobs: BlobStore): Promise<boolean> {
  const present = await Promise.all(chunks.map(({ digest }) => blobs.exists(digest)));
  return !present.includes(false);
}

async function* bytesOf(
  { chunks }: Attachment,
  blobs: BlobStore,
  seen: (bytes: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for (const { digest, size } of chunks) {
    for await (const bytes of blobs.read(digest, 0, size)) {
      seen(bytes);
      yield bytes;
    }
  }
}
