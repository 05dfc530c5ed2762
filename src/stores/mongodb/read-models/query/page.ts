/** Pages of documents with totals of the same moment, from a server that reads the two one after the other. */
import { type Collection, type FindCursor } from 'mongodb';
import { type Generation } from '../../../../core/projection.js';
import { type Query } from '../../../../core/read-models.js';
import { collectionName, withIds, type StoredDocument } from '../documents.js';
import { type DocumentFilter } from './filter.js';
import { asFilter, findIds, findRows } from './find.js';
import { planOf } from './plan.js';
import { isSameMoment, type Served } from '../serving-state.js';
import { firstSliceOf, withBodies, type FirstSlice, type StoredSlice } from './slice.js';
import { type Tallies } from '../tallies.js';

export interface StoredPage extends StoredSlice {
  readonly total: number;
}

export interface PageQuery extends Query {
  /** Whether the first slice of the page will do. */
  readonly sliced?: true;
}

export interface PageSource {
  readonly documents: (model: string, generation: Generation) => Collection<StoredDocument>;
  readonly tallies: (model: string, generation: Generation) => Tallies;
  /** What the projection serves at this moment. */
  readonly look: (id: string) => Promise<Served | null>;
  /** Totals, by what was counted and when. */
  readonly totals: { get(name: string): number | undefined; set(name: string, total: number): unknown };
}

const EMPTY: StoredPage = { rows: [], rest: [], total: 0 };

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
  query: PageQuery,
): Promise<StoredPage | null> {
  let before = served;
  for (let tries = 1; ; tries += 1) {
    const name = JSON.stringify([collectionName(model, before.generation), before.position, query.where], finite);
    const reading = await readingOf(source, model, before.generation, query, source.totals.get(name));
    if (reading === null) return EMPTY;
    const page = await readOnce(reading, query);
    if (page.isCertain) return page;
    const after = await source.look(before.id);
    if (after === null) return null;
    if (isSameMoment(before, after)) {
      source.totals.set(name, page.total);
      return page;
    }
    const whole = await readWhole(source.documents(model, after.generation), reading, query, page.total);
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
  generation: Generation,
  { where }: Query,
  known: number | undefined,
): Promise<Reading | null> {
  const collection = documents(model, generation);
  const { filter, total, isOfMoment } = await planOf(where, tallies(model, generation));
  if (filter === null) return null;
  return {
    collection,
    filter,
    isOfMoment,
    known: async () => known ?? (await total()),
    count: () => collection.countDocuments(asFilter(filter)),
  };
}

interface Certainty {
  /** Whether it is all of one moment, whatever is written meanwhile. */
  readonly isCertain: boolean;
}

async function readOnce(reading: Reading, query: PageQuery): Promise<StoredPage & Certainty> {
  const { limit, offset } = query;
  if (limit === 0) return { ...EMPTY, total: await totalOf(reading), isCertain: false };
  if (offset >= DEEP) return { ...(await readDeep(reading, query)), isCertain: false };
  const [{ isCertain, ...slice }, known] = await Promise.all([readRows(reading, query), reading.known()]);
  // A page that is not full shows by itself where the documents end, and nobody counts them.
  const found = slice.rows.length + slice.rest.length;
  const isEnd = found < limit && (found > 0 || offset === 0);
  if (isEnd) return { ...slice, total: offset + found, isCertain };
  const counted = known ?? (await reading.count());
  // It has to agree with the page at least.
  const total = found === limit ? Math.max(counted, offset + limit) : Math.min(counted, offset);
  return { ...slice, total, isCertain: false };
}

async function totalOf({ known, count }: Reading): Promise<number> {
  return (await known()) ?? (await count());
}

/** From the nearer end. What is skipped is never looked into where the index has all that the filter asks. */
async function readDeep(reading: Reading, query: PageQuery): Promise<StoredPage> {
  const { collection, filter } = reading;
  const { limit, offset, direction } = query;
  const all = await totalOf(reading);
  const behind = all - offset;
  if (behind > offset) return { ...(await readByIds(collection, filter, query, false)), total: all };
  if (behind <= 0) return { ...EMPTY, total: all };
  const fromEnd = {
    ...query,
    direction: direction === 'asc' ? ('desc' as const) : ('asc' as const),
    limit: Math.min(limit, behind),
    offset: Math.max(0, behind - limit),
  };
  return { ...(await readByIds(collection, filter, fromEnd, true)), total: all };
}

/** `reversed` changes the order of what is found. */
async function readByIds(
  collection: Collection<StoredDocument>,
  filter: DocumentFilter,
  query: PageQuery,
  reversed: boolean,
): Promise<StoredSlice> {
  const found = await findIds(collection, asFilter(filter), query);
  const ids = reversed ? found.toReversed() : found;
  if (ids.length === 0) return EMPTY;
  const isAscending = (query.direction === 'asc') !== reversed;
  const options = { projection: { body: 1 }, sort: { _id: isAscending ? 1 : -1 }, batchSize: ids.length + 1 } as const;
  const rows = collection.find(withIds(ids), options);
  const { slice, last } = await sliceOf(rows, query);
  return { rows: slice, rest: last === null ? [] : ids.slice(ids.indexOf(last) + 1) };
}

/** What one command reads is of one moment. Null where that is too much. */
async function readWhole(
  collection: Collection<StoredDocument>,
  { filter, isOfMoment }: Reading,
  query: PageQuery,
  expected: number,
): Promise<StoredPage | null> {
  if (isOfMoment || expected > MOST_AT_ONCE) return null;
  const whole = { ...query, offset: 0, limit: MOST_AT_ONCE + 1 };
  const { slice, last } = await sliceOf(findRows(collection, filter, whole), query);
  // What does not fit in a slice takes a second command.
  if (slice.length > MOST_AT_ONCE || last !== null) return null;
  return { rows: slice.slice(query.offset, query.offset + query.limit), rest: [], total: slice.length };
}

async function readRows(
  { collection, filter, isOfMoment }: Reading,
  query: PageQuery,
): Promise<StoredSlice & Certainty> {
  const { slice, last } = await sliceOf(findRows(collection, filter, query), query);
  if (last === null) return { rows: slice, rest: [], isCertain: !isOfMoment };
  const behind = { ...query, offset: 0, limit: query.limit - slice.length };
  // Not by their number: of those in front there may be more or less by now.
  const isBehind = { _id: query.direction === 'asc' ? { $gt: last } : { $lt: last } };
  const rest = behind.limit === 0 ? [] : findIds(collection, { $and: [asFilter(filter), isBehind] }, behind);
  return { rows: slice, rest: await rest, isCertain: false };
}

async function sliceOf(rows: FindCursor<StoredDocument>, { sliced }: PageQuery): Promise<FirstSlice> {
  return sliced === undefined ? { slice: withBodies(await rows.toArray()), last: null } : firstSliceOf(rows);
}

/** JSON has no infinite numbers. */
function finite(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
