import { type Db } from 'mongodb';

export interface Kept {
  readonly digests: number;
  readonly files: number;
  readonly chunks: number;
  readonly leftovers: number;
  /** Files and chunks that neither a digest nor a leftover names. */
  readonly strays: number;
}

/** What a GridFS blob store has in its database. */
export async function keptIn(db: Db): Promise<Kept> {
  const all = (collection: string, field: string) =>
    db
      .collection(collection)
      .find({}, { projection: { [field]: 1 } })
      .toArray()
      .then((documents) => documents.map((document) => String(document[field])));
  const [digests, leftovers] = [await all('digests', 'file'), await all('leftovers', '_id')];
  const [files, chunks] = [await all('blobs.files', '_id'), await all('blobs.chunks', 'files_id')];
  const known = new Set([...digests, ...leftovers]);
  return {
    digests: digests.length,
    files: files.length,
    chunks: chunks.length,
    leftovers: leftovers.length,
    strays: [...files, ...chunks].filter((file) => !known.has(file)).length,
  };
}
