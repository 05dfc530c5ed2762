/** GridFS files without a name, or about to lose it. What is listed here decides between a name and a removal. */
import { type Collection, type ObjectId } from 'mongodb';
import { type Digest } from '../../../core/blob-store.js';
import { type Clock } from '../../../core/clock.js';
import { type GridFsFiles } from './files.js';
import { inserted } from '../duplicate-key.js';

/** After this long, no process works on a leftover. */
const LEFT_MS = 24 * 60 * 60 * 1000;

export interface Leftover {
  /** Of the file. */
  readonly _id: ObjectId;
  readonly since: Date;
  /** Its bytes are being removed: a name that it gets from now on does not count. */
  readonly doomed: boolean;
}

export interface Named {
  readonly _id: Digest;
  readonly file: ObjectId;
  readonly size: number;
  readonly chunkSize: number;
  readonly putAt: Date;
  /** Another one each time that the bytes are put or kept again; missing before the first. */
  readonly kept?: ObjectId | null;
}

export interface Context {
  readonly files: GridFsFiles;
  readonly named: Collection<Named>;
  readonly leftovers: Collection<Leftover>;
  readonly clock: Clock;
}

/** Whether the bytes that the name stands for stay, for as long as they have the name. */
export async function isSafe({ files, leftovers, clock }: Context, id: ObjectId): Promise<boolean> {
  for (;;) {
    const listed = await leftovers.findOne({ _id: id });
    // In this order: what is removed is gone before it is no longer listed.
    if (listed === null) return files.exists(id);
    if (listed.doomed) return false;
    const { matchedCount } = await leftovers.updateOne({ _id: id, doomed: false }, { $set: { since: clock() } });
    if (matchedCount === 1) return true;
  }
}

/** By us, or by a process that has seen its name. */
export async function isUnlisted(context: Context, id: ObjectId): Promise<boolean> {
  const { deletedCount } = await context.leftovers.deleteOne({ _id: id, doomed: false });
  return deletedCount === 1 || isSafe(context, id);
}

/** Or counts what is listed already from now. */
export async function list(leftovers: Collection<Leftover>, leftover: Leftover): Promise<void> {
  for (;;) {
    if (await inserted(() => leftovers.insertOne(leftover))) return;
    const { matchedCount } = await leftovers.updateOne({ _id: leftover._id }, { $set: { since: leftover.since } });
    if (matchedCount > 0) return;
  }
}

export async function removeLeftovers({ files, named, leftovers, clock }: Context): Promise<void> {
  const limit = new Date(clock().getTime() - LEFT_MS);
  for (const { _id, since, doomed } of await leftovers.find({ since: { $lt: limit } }).toArray()) {
    if (!doomed && (await named.findOne({ file: _id })) !== null) {
      await leftovers.deleteOne({ _id, since, doomed });
      continue;
    }
    const { matchedCount } = await leftovers.updateOne({ _id, since, doomed }, { $set: { doomed: true } });
    if (matchedCount === 0) continue;
    await files.remove(_id);
    await leftovers.deleteOne({ _id });
  }
}
