/** The first documents of those that are asked for: no more than a slice, however large they are. */
import { type Collection } from 'mongodb';
import { type Body } from '../bodies.js';
import { rowsIn, withIds, type Row, type StoredDocument } from '../documents.js';
import { SLICE_ROWS, SLICE_SIZE } from '../../../shared/read-slices.js';

export interface StoredBody {
  readonly _id: string;
  readonly body: Body;
}

export interface StoredSlice {
  readonly rows: readonly StoredBody[];
  /** Ids of those behind them. */
  readonly rest: readonly string[];
}

/** Of what is read at once. Ids may come in any order, so that the first of them is not always among it. */
const MOST_READ = 4 * SLICE_SIZE;

/** Those that exist, in the order of the ids. */
export async function readSlice(collection: Collection<StoredDocument>, ids: readonly string[]): Promise<StoredSlice> {
  if (ids.length === 0) return { rows: [], rest: [] };
  const wanted = ids.slice(0, SLICE_ROWS);
  const { bodies, isRead } = await readInOrder(collection, wanted);
  const rows: StoredBody[] = [];
  let read = 0;
  for (let size = 0; read < wanted.length && size < SLICE_SIZE; read += 1) {
    const id = wanted[read] ?? '';
    if (!isRead(id)) break;
    const row = bodies.get(id);
    if (row === undefined) continue;
    rows.push(row);
    size += row.body.length;
  }
  if (read > 0) return { rows, rest: ids.slice(read) };
  const { rows: first } = await readSlice(collection, ids.slice(0, 1));
  return { rows: first, rest: ids.slice(1) };
}

/** As many as one reading holds. `isRead` tells of an id whether it would be among them. */
async function readInOrder(collection: Collection<StoredDocument>, ids: readonly string[]) {
  const bodies = new Map<string, StoredBody>();
  const isAscending = (ids[0] ?? '') <= (ids.at(-1) ?? '');
  const options = { sort: { _id: isAscending ? 1 : -1 }, batchSize: ids.length + 1 } as const;
  let size = 0;
  for await (const row of rowsIn(collection, withIds(ids), options)) {
    if (!('body' in row)) continue;
    bodies.set(row._id, row);
    size += row.body.length;
    const last = row._id;
    if (size >= MOST_READ) return { bodies, isRead: (id: string) => (isAscending ? id <= last : id >= last) };
  }
  return { bodies, isRead: () => true };
}

export interface FirstSlice {
  readonly slice: readonly StoredBody[];
  /** The id of the last one read, if more may follow. */
  readonly last: string | null;
}

/** Of the rows in their order. */
export async function firstSliceOf(rows: AsyncIterable<Row>): Promise<FirstSlice> {
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

export function withBodies(rows: readonly Row[]): readonly StoredBody[] {
  return rows.flatMap((row) => ('body' in row ? [row] : []));
}
