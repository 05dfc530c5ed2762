/** The first documents of those that are asked for: no more than a slice, however large they are. */
import { type Collection } from 'mongodb';
import { withIds, type StoredDocument } from './mongodb-read-documents.js';
import { SLICE_ROWS, SLICE_SIZE } from './read-slices.js';

export interface StoredBody {
  readonly _id: string;
  readonly body: string;
}

export interface StoredSlice {
  readonly rows: readonly StoredBody[];
  /** Ids of those behind them. */
  readonly rest: readonly string[];
}

/** So many ids at most are looked up at once: what does not fit in the slice is read again. */
const MOST_AT_ONCE = 32;

/** Those that exist, in the order of the ids. Their sizes are not known before, so few are looked up at first. */
export async function readSlice(collection: Collection<StoredDocument>, ids: readonly string[]): Promise<StoredSlice> {
  const rows: StoredBody[] = [];
  let size = 0;
  let read = 0;
  for (
    let most = 1;
    read < ids.length && read < SLICE_ROWS && size < SLICE_SIZE;
    most = Math.min(2 * most, MOST_AT_ONCE)
  ) {
    const wanted = ids.slice(read, Math.min(read + most, SLICE_ROWS));
    const found = await collection
      .find(withIds(wanted), { projection: { body: 1 }, batchSize: wanted.length + 1 })
      .toArray();
    const bodies = new Map(withBodies(found).map((row) => [row._id, row]));
    for (const id of wanted) {
      if (size >= SLICE_SIZE) break;
      read += 1;
      const row = bodies.get(id);
      if (row === undefined) continue;
      rows.push(row);
      size += row.body.length;
    }
  }
  return { rows, rest: ids.slice(read) };
}

/** Of the rows in their order. `last` is the id of the last one read, if more may follow. */
export async function firstSliceOf(
  rows: AsyncIterable<StoredDocument>,
): Promise<{ readonly slice: readonly StoredBody[]; readonly last: string | null }> {
  const slice: StoredBody[] = [];
  let size = 0;
  // Ending the iteration closes the cursor.
  for await (const row of rows) {
    if (!('body' in row)) continue;
    slice.push(row);
    size += row.body.length;
    if (slice.length >= SLICE_ROWS || size >= SLICE_SIZE) return { slice, last: row._id };
  }
  return { slice, last: null };
}

export function withBodies(rows: readonly StoredDocument[]): readonly StoredBody[] {
  return rows.flatMap((row) => ('body' in row ? [row] : []));
}
