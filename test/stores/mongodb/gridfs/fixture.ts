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

export interface PausingDb {
  readonly db: Db;
  /** Resolves once the next such command waits. The function that it resolves to lets the command go on. */
  pauseAt(collection: string, method: 'insertOne' | 'updateOne' | 'deleteOne'): Promise<() => void>;
}

/** The database as a process has it that is paused right before a command. */
export function pausingDb(db: Db): PausingDb {
  const pauses = new Map<string, (goOn: () => void) => void>();
  const pausing = (name: string) =>
    new Proxy(db.collection(name), {
      get: (collection, method) => {
        const member: unknown = Reflect.get(collection, method, collection);
        if (typeof member !== 'function') return member;
        const key = `${name}.${String(method)}`;
        return (...args: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(member, collection, args);
          const reached = pauses.get(key);
          if (reached === undefined) return call();
          pauses.delete(key);
          return new Promise<void>(reached).then(call);
        };
      },
    });
  return {
    db: new Proxy(db, {
      get: (target, method) => (method === 'collection' ? pausing : (Reflect.get(target, method, target) as unknown)),
    }),
    pauseAt: (collection, method) =>
      new Promise((resolve) => {
        pauses.set(`${collection}.${method}`, resolve);
      }),
  };
}
