/** Pages of documents with totals of the same moment, from a server that reads the two one after the other. */
import { type Collection, type Filter } from 'mongodb';
import { type Run } from '../core/projection.js';
import { type Query } from '../core/read-models.js';
import { collectionName, withIds, type StoredDocument } from './mongodb-read-documents.js';
import { type DocumentFilter } from './mongodb-read-filter.js';
import { planOf } from './mongodb-read-plan.js';
import { isSameMoment, type Served } from './mongodb-read-seen.js';
import { type Tallies } from './mongodb-read-tallies.js';

interface StoredBody {
  readonly _id: string;
  readonly body: string;
}

export interface StoredPage {
  readonly rows: readonly StoredBody[];
  readonly total: number;
}

export interface PageSource {
  readonly documents: (model: string, run: Run) => Collection<StoredDocument>;
  readonly tallies: (model: string, run: Run) => Tallies;
  /** What the projection serves at this moment. */
  readonly look: (projection: string) => Promise<Served | null>;
  /** Totals, by what was counted and when. */
  readonly totals: { get(name: string): number | undefined; set(name: string, total: number): unknown };
}

const EMPTY: StoredPage = { rows: [], total: 0 };

/** How often a page is read again because something was written meanwhile. */
const MOST_TRIES = 3;
/** So many documents are rather read all at once. */
const MOST_AT_ONCE = 500;
/** Offsets from here on are worth the question how many there are. */
const DEEP = 1000;

/** `served` as it was some moments ago. Null if nothing is served any longer. */
export async function readPage(
  source: PageSource,
  served: Served,
  model: string,
  query: Query,
): Promise<StoredPage | null> {
  let before = served;
  for (let tries = 1; ; tries += 1) {
    const name = JSON.stringify([collectionName(model, before.run), before.position, query.where], finite);
    const reading = await readingOf(source, model, before.run, query, source.totals.get(name));
    if (reading === null) return EMPTY;
    const page = await readOnce(reading, query);
    if (page.isCertain) return page;
    const after = await source.look(before.projection);
    if (after === null) return null;
    if (isSameMoment(before, after)) {
      source.totals.set(name, page.total);
      return page;
    }
    const whole = await readWhole(source.documents(model, after.run), reading, query, page.total);
    if (whole !== null) return whole;
    if (tries === MOST_TRIES) return page;
    before = after;
  }
}

interface Reading {
  readonly collection: Collection<StoredDocument>;
  readonly filter: DocumentFilter;
  /** What it finds at another moment may not be all. */
  readonly isOfMoment: boolean;
  /** Without counting; undefined where that is the only way. */
  readonly known: () => Promise<number | undefined>;
  readonly count: () => Promise<number>;
}

/** Null where no document can match. */
async function readingOf(
  { documents, tallies }: PageSource,
  model: string,
  run: Run,
  { where }: Query,
  known: number | undefined,
): Promise<Reading | null> {
  const collection = documents(model, run);
  const { filter, total, isOfMoment } = await planOf(where, tallies(model, run));
  if (filter === null) return null;
  return {
    collection,
    filter,
    isOfMoment,
    known: async () => known ?? (await total()),
    count: () => collection.countDocuments(asFilter(filter)),
  };
}

async function readOnce(reading: Reading, query: Query): Promise<StoredPage & { readonly isCertain: boolean }> {
  const { limit, offset } = query;
  if (limit === 0) return { rows: [], total: await totalOf(reading), isCertain: false };
  if (offset >= DEEP) return { ...(await readDeep(reading, query)), isCertain: false };
  const [rows, known] = await Promise.all([readRows(reading.collection, reading.filter, query), reading.known()]);
  // A page that is not full shows by itself where the documents end, and nobody counts them.
  const isEnd = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isEnd) return { rows, total: offset + rows.length, isCertain: !reading.isOfMoment };
  const counted = known ?? (await reading.count());
  // It has to agree with the page at least.
  const total = rows.length === limit ? Math.max(counted, offset + limit) : Math.min(counted, offset);
  return { rows, total, isCertain: false };
}

async function totalOf({ known, count }: Reading): Promise<number> {
  return (await known()) ?? (await count());
}

/** From the nearer end. What is skipped is never looked into where the index has all that the filter asks. */
async function readDeep(reading: Reading, query: Query): Promise<StoredPage> {
  const { collection, filter } = reading;
  const { limit, offset, direction } = query;
  const all = await totalOf(reading);
  const behind = all - offset;
  if (behind > offset) return { rows: await readByIds(collection, filter, query), total: all };
  if (behind <= 0) return { rows: [], total: all };
  const fromEnd = {
    ...query,
    direction: direction === 'asc' ? ('desc' as const) : ('asc' as const),
    limit: Math.min(limit, behind),
    offset: Math.max(0, behind - limit),
  };
  return { rows: (await readByIds(collection, filter, fromEnd)).toReversed(), total: all };
}

async function readByIds(
  collection: Collection<StoredDocument>,
  filter: DocumentFilter,
  query: Query,
): Promise<readonly StoredBody[]> {
  const { direction, limit, offset } = query;
  const order = direction === 'asc' ? 1 : -1;
  const ids = await collection
    .find(asFilter(filter), { projection: { _id: 1 }, sort: { _id: order }, skip: offset, limit, batchSize: limit + 1 })
    .toArray();
  if (ids.length === 0) return [];
  const rows = await collection
    .find(withIds(ids.map(({ _id }) => _id)), { projection: { body: 1 }, sort: { _id: order }, batchSize: limit + 1 })
    .toArray();
  return withBodies(rows);
}

/** What one command reads is of one moment. Null where that is too much. */
async function readWhole(
  collection: Collection<StoredDocument>,
  { filter, isOfMoment }: Reading,
  query: Query,
  expected: number,
): Promise<StoredPage | null> {
  if (isOfMoment || expected > MOST_AT_ONCE) return null;
  const rows = await readRows(collection, filter, { ...query, offset: 0, limit: MOST_AT_ONCE + 1 });
  if (rows.length > MOST_AT_ONCE) return null;
  return { rows: rows.slice(query.offset, query.offset + query.limit), total: rows.length };
}

async function readRows(
  collection: Collection<StoredDocument>,
  filter: DocumentFilter,
  { direction, limit, offset }: Query,
): Promise<readonly StoredBody[]> {
  const rows = await collection
    .find(asFilter(filter), {
      projection: { body: 1 },
      sort: { _id: direction === 'asc' ? 1 : -1 },
      skip: offset,
      limit,
      // All in one answer.
      batchSize: limit + 1,
    })
    .toArray();
  return withBodies(rows);
}

function withBodies(rows: readonly StoredDocument[]): readonly StoredBody[] {
  return rows.flatMap((row) => ('body' in row ? [row] : []));
}

/** The driver's type knows nothing of lists that stay as they are. */
function asFilter(filter: DocumentFilter): Filter<StoredDocument> {
  return filter as Filter<StoredDocument>;
}

/** JSON has no infinite numbers. */
function finite(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
