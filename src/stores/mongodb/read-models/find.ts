/** What one command finds, in the order of the page and from where it begins. */
import { type SortDirection } from 'mongodb';
import { type Position } from '../../../core/event-log.js';
import { type OrderKey, type PlainQuery, type StartKey } from '../../../core/read-models.js';
import { SLICE_ROWS, SLICE_SIZE } from '../../shared/read-slices.js';
import { isLive, rowsIn, withIds, type DocumentFilter, type Documents, type LiveRow, type Row } from './documents.js';
import { ordered, orderName, sortable } from './entries.js';

export async function findIds(
  collection: Documents,
  filter: DocumentFilter,
  query: PlainQuery,
): Promise<readonly string[]> {
  const found = collection.find(begun(filter, query), { ...optionsOf(query), projection: { _id: 1 } });
  return (await found.toArray()).map(({ _id }) => _id);
}

/** The ids, each with what tells whether its document has changed since. */
export async function findVersions(
  collection: Documents,
  filter: DocumentFilter,
  query: PlainQuery,
): Promise<ReadonlyMap<string, Position>> {
  const projection = { _id: 1, position: 1 } as const;
  const found = collection.find(begun(filter, query), { ...optionsOf(query), projection });
  return new Map((await found.toArray()).map(({ _id, position }) => [_id, position]));
}

export interface FoundRows {
  readonly rows: readonly LiveRow[];
  /** The id of the last one, if more may follow. */
  readonly last: string | null;
}

export async function findRows(
  collection: Documents,
  filter: DocumentFilter,
  query: PlainQuery,
  isSliced: boolean,
  most = isSliced ? mostRows(collection) : query.limit,
): Promise<FoundRows> {
  const options = optionsOf({ ...query, limit: Math.min(query.limit, most) });
  const found = rowsIn(collection, begun(filter, query), options);
  if (!isSliced) return { rows: (await found.toArray()).filter(isLive), last: null };
  const { rows, isFull } = await firstSliceOf(found);
  setMostRows(collection, isFull ? rows.length : most * FEW_GROW);
  return { rows, last: isFull || rows.length === most ? idOf(rows.at(-1)) : null };
}

const idOf = (row: LiveRow | undefined): string | null => row?._id ?? null;

async function firstSliceOf(all: AsyncIterable<Row>): Promise<Pick<FoundRows, 'rows'> & { readonly isFull: boolean }> {
  const rows: LiveRow[] = [];
  let size = 0;
  // Ending the iteration closes the cursor.
  for await (const row of all) {
    if (!isLive(row)) continue;
    rows.push(row);
    size += row.body.length;
    if (size >= SLICE_SIZE) return { rows, isFull: true };
  }
  return { rows, isFull: false };
}

function optionsOf({ order = [], direction, limit, offset }: PlainQuery) {
  const sort = new Map<string, SortDirection>([
    ...order.flatMap(sortsOf),
    // A key that comes again changes nothing, and stays where it was.
    ['_id', signOf(direction)],
  ]);
  // All in one answer.
  return { sort, skip: offset, limit, batchSize: limit + 1 };
}

const signOf = (direction: PlainQuery['direction']): 1 | -1 => (direction === 'asc' ? 1 : -1);

function sortsOf(key: OrderKey): readonly (readonly [string, 1 | -1])[] {
  const { is, value } = fieldsOf(key);
  return [
    [is, -1],
    [value, signOf(key.direction)],
  ];
}

function fieldsOf({ key, direction }: OrderKey): { readonly is: string; readonly value: string } {
  const name = `o.${orderName(key)}`;
  return { is: `${name}.i`, value: `${name}.${direction === 'asc' ? 'a' : 'z'}` };
}

function begun(filter: DocumentFilter, { order = [], direction, after }: PlainQuery): DocumentFilter {
  return after === undefined ? filter : { $and: [filter, behind(order, after, direction)] };
}

function behind(
  order: readonly OrderKey[],
  { values, id }: StartKey,
  direction: PlainQuery['direction'],
): DocumentFilter {
  const byItsId: DocumentFilter = { _id: { [direction === 'asc' ? '$gt' : '$lt']: sortable(id) } };
  return order.reduceRight<DocumentFilter>((next, key, n) => {
    const fields = fieldsOf(key);
    const without = { [fields.is]: { $exists: false } };
    const given = values[n] ?? null;
    if (given === null) return { $and: [without, next] };
    const value = ordered(given);
    const isTie = { [fields.value]: value };
    return { $or: [...beyond(fields.value, value, key.direction), without, { $and: [isTie, next] }] };
  }, byItsId);
}

/** A server compares values of one type only. */
function beyond(field: string, value: number | string, direction: OrderKey['direction']): readonly DocumentFilter[] {
  const isOfType = { [field]: { [direction === 'asc' ? '$gt' : '$lt']: value } };
  if (direction === 'asc') return typeof value === 'number' ? [isOfType, { [field]: { $gte: '' } }] : [isOfType];
  return typeof value === 'string' ? [isOfType, { [field]: { $gte: -Infinity } }] : [isOfType];
}

export interface StoredSlice {
  readonly rows: readonly LiveRow[];
  /** Ids of those behind them. */
  readonly rest: readonly string[];
}

/** Of what is read at once. Ids may come in any order, so that the first of them is not always among it. */
const MOST_READ = 4 * SLICE_SIZE;

/** By collection, where they are fewer than a slice may hold: how many to ask for. Of large documents, a server sends 16 MiB at once. */
const few = new Map<string, number>();
const FEW_GROW = 4;

const mostRows = ({ namespace }: Documents): number => few.get(namespace) ?? SLICE_ROWS;

function setMostRows({ namespace }: Documents, most: number): void {
  if (most < SLICE_ROWS) few.set(namespace, most);
  else few.delete(namespace);
}

/** The first of those that the filter finds, in the order of the ids: no more than a slice, however large they are. */
export async function readSlice(
  collection: Documents,
  ids: readonly string[],
  filter?: DocumentFilter,
): Promise<StoredSlice> {
  const asked = mostRows(collection);
  const { rows, rest } = await sliceOf(collection, ids.slice(0, asked), filter);
  const isFull = rest.length > 0 || rows.reduce((size, { body }) => size + body.length, 0) >= SLICE_SIZE;
  setMostRows(collection, isFull ? Math.max(1, rows.length) : asked * FEW_GROW);
  return { rows, rest: [...rest, ...ids.slice(asked)] };
}

async function sliceOf(
  collection: Documents,
  wanted: readonly string[],
  filter?: DocumentFilter,
): Promise<StoredSlice> {
  if (wanted.length === 0) return { rows: [], rest: [] };
  const { found, isRead } = await readInOrder(collection, wanted, filter);
  const rows: LiveRow[] = [];
  let read = 0;
  for (let size = 0; read < wanted.length && size < SLICE_SIZE; read += 1) {
    const id = wanted[read] ?? '';
    if (!isRead(id)) break;
    const row = found.get(id);
    if (row === undefined) continue;
    rows.push(row);
    size += row.body.length;
  }
  if (read > 0) return { rows, rest: wanted.slice(read) };
  const { rows: first } = await sliceOf(collection, wanted.slice(0, 1), filter);
  return { rows: first, rest: wanted.slice(1) };
}

/** As many as one reading holds. `isRead` tells of an id whether it would be among them. */
async function readInOrder(collection: Documents, ids: readonly string[], filter?: DocumentFilter) {
  const found = new Map<string, LiveRow>();
  const isAscending = (ids[0] ?? '') <= (ids.at(-1) ?? '');
  const options = { sort: { _id: isAscending ? 1 : -1 }, batchSize: ids.length + 1 } as const;
  let size = 0;
  for await (const row of rowsIn(collection, { ...filter, ...withIds(ids) }, options)) {
    if (!isLive(row)) continue;
    found.set(row._id, row);
    size += row.body.length;
    const last = row._id;
    if (size >= MOST_READ) return { found, isRead: (id: string) => (isAscending ? id <= last : id >= last) };
  }
  return { found, isRead: () => true };
}

/** All of those that the filter finds, in no particular order. */
export async function readAll(
  collection: Documents,
  ids: readonly string[],
  filter?: DocumentFilter,
): Promise<readonly LiveRow[]> {
  if (ids.length === 0) return [];
  const rows = await rowsIn(collection, { ...filter, ...withIds(ids) }, { batchSize: ids.length + 1 }).toArray();
  return rows.filter(isLive);
}
