/**
 * Blobs as GridFS files, each named by the one document of its digest. A file is listed as a leftover while it has no
 * name: from before its first byte until it is named, and from before its removal until it is gone. So a crash leaves
 * no unlisted file. Time selects the leftovers that are removed; `doomed` in the list decides between the process that
 * removes a file and the one that gives it its name.
 */
import { createHash } from 'node:crypto';
import { MongoServerError, ObjectId, type Db } from 'mongodb';
import { MissingBytes, storageFull, type Blob, type BlobStore, type Digest } from '../../../core/blob-store.js';
import { type Clock } from '../../../core/clock.js';
import { gridFsFiles, type GridFsFile } from './files.js';
import { indexing } from './indexes.js';
import { isSafe, isUnlisted, list, removeLeftovers, type Context, type Leftover, type Named } from './leftovers.js';
import { unavailable } from '../connection.js';
import { inserted } from '../duplicate-key.js';
import { throttle } from '../../shared/throttle.js';
import { wholeRange } from '../../shared/whole-range.js';

const TIDY_EVERY_MS = 60 * 60 * 1000;

type IsNamed = () => Promise<boolean>;

/** Any number of processes may share the database. `onLeft` is told why leftovers were not removed. */
export async function gridFsBlobStore(
  db: Db,
  clock: Clock,
  onLeft: (error: unknown) => void = () => undefined,
): Promise<BlobStore> {
  const context: Context = {
    files: gridFsFiles(db, 'blobs'),
    named: db.collection<Named>('digests'),
    leftovers: db.collection<Leftover>('leftovers'),
    clock,
  };
  const { files, named } = context;
  // Leftovers that cannot be removed keep nobody from reading or writing.
  const tidy = throttle(clock, TIDY_EVERY_MS, () => removeLeftovers(context).catch(onLeft));
  const indexed = indexing(context);
  await tidy();

  return {
    put: async (bytes) => {
      const source = watched(bytes);
      try {
        await tidy();
        await indexed();
        return await put(context, source.bytes());
      } catch (error) {
        throw source.hasFailedWith(error) ? error : problemOf(error);
      }
    },

    read: (digest, from, to) => read(context, digest, from, to),

    exists: (digest) =>
      translated(async () => {
        const found = await named.findOne({ _id: digest });
        return found !== null && files.exists(found.file);
      }),

    keep: (digest) =>
      translated(async () => {
        const found = await countedOn(context, digest);
        return found !== null && isSafe(context, found.file);
      }),

    delete: (digest, before, isNamed) => translated(() => remove(context, digest, before, isNamed)),
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
  // After a long write, the time counts from now, unless another process has just marked it.
  const { matchedCount } = await leftovers.updateOne({ _id: id, doomed: false }, { $set: { since: clock() } });
  if (matchedCount === 0) return tooLate(context, file);
  if (!(await name(context, file))) await files.remove(id);
  else if (!(await isUnlisted(context, id))) return tooLate(context, file);
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

/** What was written since a process has given it up is a leftover of its own. */
async function tooLate({ files, named, leftovers, clock }: Context, { _id, filename }: GridFsFile): Promise<never> {
  await list(leftovers, { _id, since: clock(), doomed: true });
  await named.deleteOne({ _id: filename, file: _id });
  await files.remove(_id);
  throw new Error('Storing the file timed out; retry later');
}

/** False where the same bytes have their name already; they count as put now. */
async function name(context: Context, { _id, length: size, chunkSize, filename }: GridFsFile): Promise<boolean> {
  const { named, clock } = context;
  for (;;) {
    const own = { file: _id, size, chunkSize, putAt: clock() };
    if (await inserted(() => named.insertOne({ _id: filename, ...own }))) return true;
    const known = await countedOn(context, filename);
    // Null when it has been deleted in between.
    if (known === null) continue;
    if (known.file.equals(_id)) return true;
    if (await isSafe(context, known.file)) return false;
    const { matchedCount } = await named.updateOne({ _id: filename, file: known.file }, { $set: own });
    if (matchedCount === 1) return true;
  }
}

/** Who removes the bytes of this name right now does not find it as it was. Null without the name. */
function countedOn({ named, clock }: Pick<Context, 'named' | 'clock'>, digest: Digest): Promise<Named | null> {
  return named.findOneAndUpdate({ _id: digest }, { $max: { putAt: clock() }, $set: { kept: new ObjectId() } });
}

async function* read({ files, named }: Context, digest: Digest, from: number, to: number): AsyncGenerator<Uint8Array> {
  try {
    if (from >= to) return;
    const found = await named.findOne({ _id: digest });
    if (found === null) throw new MissingBytes(`There is no blob ${digest}`);
    yield* wholeRange(files.read({ _id: found.file, chunkSize: found.chunkSize }, from, to), digest, to - from);
  } catch (error) {
    throw problemOf(error);
  }
}

async function remove(context: Context, digest: Digest, before: Date, isNamed: IsNamed): Promise<boolean> {
  const { files, named, leftovers, clock } = context;
  const found = await named.findOne({ _id: digest });
  if (found === null) return true;
  if (found.putAt >= before || (await isNamed())) return false;
  const { file, kept = null } = found;
  await list(leftovers, { _id: file, since: clock(), doomed: false });
  // As it was before the question. Null is the same as missing.
  const asFound = { _id: digest, file, kept, putAt: { $lt: before } };
  const { deletedCount } = await named.deleteOne(asFound);
  // Another process has put, kept or deleted it. The next look tells.
  if (deletedCount === 0) return false;
  // Only who wrote the file could give it a name, and has done so.
  await files.remove(file);
  await leftovers.deleteOne({ _id: file });
  return true;
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw problemOf(error);
  }
}

function problemOf(error: unknown): Error {
  if (isFull(error)) return storageFull();
  return unavailable(error, 'The storage for files does not answer; retry later');
}

const OUT_OF_DISK_SPACE = 14_031;
/** The messages of servers that do not use the code: of the system, of SQLite, of Atlas. */
const FULL = /no space left on device|disk is full|over your space quota/i;

function isFull(error: unknown): boolean {
  return error instanceof MongoServerError && (error.code === OUT_OF_DISK_SPACE || FULL.test(error.message));
}
