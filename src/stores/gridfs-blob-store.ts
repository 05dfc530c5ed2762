/**
 * Blobs as GridFS files, each named by the one document of its digest. A file is listed as a leftover from before its
 * first byte until it has its name, and from before it loses its name until it is gone: whatever dies in between, what
 * it leaves is found.
 */
import { createHash } from 'node:crypto';
import { MongoServerError, ObjectId, type Collection, type Db } from 'mongodb';
import { type Blob, type BlobStore, type Digest } from '../core/blob-store.js';
import { type Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { gridFsFiles, type GridFsFile, type GridFsFiles } from './gridfs-files.js';
import { unavailable } from './mongodb.js';
import { isDuplicate } from './mongodb-duplicates.js';
import { nowAndThen } from './now-and-then.js';

/** Nobody is still at work on what has been left over for so long. */
const LEFT_MS = 24 * 60 * 60 * 1000;
const TIDY_EVERY_MS = 60 * 60 * 1000;

interface Named {
  readonly _id: Digest;
  readonly file: ObjectId;
  readonly size: number;
  readonly chunkSize: number;
  readonly putAt: Date;
}

interface Leftover {
  /** Of the file. */
  readonly _id: ObjectId;
  readonly since: Date;
  /** It gets no name any more. */
  readonly doomed: boolean;
}

interface Context {
  readonly files: GridFsFiles;
  readonly named: Collection<Named>;
  readonly leftovers: Collection<Leftover>;
  readonly clock: Clock;
}

/** Any number of processes may share the database. */
export async function gridFsBlobStore(db: Db, clock: Clock): Promise<BlobStore> {
  const context: Context = {
    files: gridFsFiles(db, 'blobs'),
    named: db.collection<Named>('digests'),
    leftovers: db.collection<Leftover>('leftovers'),
    clock,
  };
  const { files, named } = context;
  const tidy = nowAndThen(clock, TIDY_EVERY_MS, () => removeLeftovers(context));
  await translated(async () => {
    await files.prepare();
    await named.createIndex({ file: 1 }, {}, {});
    await tidy();
  });

  return {
    put: async (bytes) => {
      const source = watched(bytes);
      try {
        await tidy();
        return await put(context, source.bytes());
      } catch (error) {
        throw source.hasFailedWith(error) ? error : told(error);
      }
    },

    read: (digest, from, to) => read(context, digest, from, to),

    exists: (digest) => translated(async () => (await named.findOne({ _id: digest })) !== null),

    keep: (digest) =>
      translated(async () => (await named.updateOne({ _id: digest }, { $max: { putAt: clock() } })).matchedCount === 1),

    delete: (digest, before) => translated(() => remove(context, digest, before)),
  };
}

/** An error of the source is no error of the server, though it may look like one. */
function watched(bytes: AsyncIterable<Uint8Array>) {
  const failures: unknown[] = [];
  return {
    bytes: async function* () {
      try {
        yield* bytes;
      } catch (error) {
        failures.push(error);
        throw error;
      }
    },
    hasFailedWith: (error: unknown) => failures.includes(error),
  };
}

async function put(context: Context, bytes: AsyncIterable<Uint8Array>): Promise<Blob> {
  const { files, leftovers, clock } = context;
  const id = new ObjectId();
  await list(leftovers, { _id: id, since: clock(), doomed: false });
  const file = await written(context, id, bytes);
  // Where this has taken long, it counts from now, unless somebody has just given it up.
  const { matchedCount } = await leftovers.updateOne({ _id: id, doomed: false }, { $set: { since: clock() } });
  if (matchedCount === 0) return tooLate(context, id);
  if (!(await name(context, file))) await files.remove(id);
  await leftovers.deleteOne({ _id: id });
  return { digest: file.filename, size: file.length };
}

async function written({ files, clock }: Context, id: ObjectId, bytes: AsyncIterable<Uint8Array>): Promise<GridFsFile> {
  const hash = createHash('sha256');
  const hashed = async function* () {
    for await (const piece of bytes) {
      hash.update(piece);
      yield piece;
    }
  };
  try {
    return await files.write(id, hashed(), () => ({ filename: hash.digest('hex'), uploadDate: clock() }));
  } catch (error) {
    // Listed it stays: what has failed for us may yet happen on the server.
    await files.remove(id).catch(() => undefined);
    throw error;
  }
}

/** What was written since somebody has given it up is a leftover of its own. */
async function tooLate({ files, leftovers, clock }: Context, id: ObjectId): Promise<never> {
  await list(leftovers, { _id: id, since: clock(), doomed: true });
  await files.remove(id);
  throw new Error('It took too long to put these bytes');
}

/** False where the same bytes have their name already; they count as put now. */
async function name({ named, clock }: Context, { _id, length, chunkSize, filename }: GridFsFile): Promise<boolean> {
  for (;;) {
    const putAt = clock();
    try {
      await named.insertOne({ _id: filename, file: _id, size: length, chunkSize, putAt });
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const known = await named.findOneAndUpdate({ _id: filename }, { $max: { putAt } });
    // Null when it has been deleted in between.
    if (known !== null) return known.file.equals(_id);
  }
}

async function* read({ files, named }: Context, digest: Digest, from: number, to: number): AsyncGenerator<Uint8Array> {
  try {
    if (from >= to) return;
    const found = await named.findOne({ _id: digest });
    if (found === null) throw new Error(`There is no blob ${digest}`);
    yield* files.read({ _id: found.file, chunkSize: found.chunkSize }, from, Math.min(to, found.size));
  } catch (error) {
    throw told(error);
  }
}

async function remove(context: Context, digest: Digest, before: Date): Promise<boolean> {
  const { files, named, leftovers, clock } = context;
  const found = await named.findOne({ _id: digest });
  if (found === null) return true;
  if (found.putAt >= before) return false;
  const { file } = found;
  await list(leftovers, { _id: file, since: clock(), doomed: false });
  const { deletedCount } = await named.deleteOne({ _id: digest, file, putAt: { $lt: before } });
  // Somebody has put it again, or deleted it.
  if (deletedCount === 0) return remove(context, digest, before);
  await files.remove(file);
  await leftovers.deleteOne({ _id: file });
  return true;
}

/** Or counts what is listed already from now. */
async function list(leftovers: Collection<Leftover>, leftover: Leftover): Promise<void> {
  for (;;) {
    try {
      await leftovers.insertOne(leftover);
      return;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const { matchedCount } = await leftovers.updateOne({ _id: leftover._id }, { $set: { since: leftover.since } });
    if (matchedCount > 0) return;
  }
}

async function removeLeftovers({ files, named, leftovers, clock }: Context): Promise<void> {
  const limit = new Date(clock().getTime() - LEFT_MS);
  for (const { _id, since } of await leftovers.find({ since: { $lt: limit } }).toArray()) {
    if ((await named.findOne({ file: _id })) !== null) {
      await leftovers.deleteOne({ _id, since });
      continue;
    }
    const { matchedCount } = await leftovers.updateOne({ _id, since }, { $set: { doomed: true } });
    if (matchedCount === 0) continue;
    await files.remove(_id);
    await leftovers.deleteOne({ _id });
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw told(error);
  }
}

function told(error: unknown): Error {
  if (isFull(error)) return new Problem('full', 'There is no room left for the bytes of files');
  return unavailable(error, 'The bytes of files cannot be reached right now');
}

const OUT_OF_DISK_SPACE = 14_031;
/** How servers say it that do not use the code: of the system, of SQLite, of Atlas. */
const FULL = /no space left on device|disk is full|over your space quota/i;

function isFull(error: unknown): boolean {
  return error instanceof MongoServerError && (error.code === OUT_OF_DISK_SPACE || FULL.test(error.message));
}
