/** Pages of documents with totals of the same moment, from a server that reads the two one after the other. */
import { type Collection, type FindCursor } from 'mongodb';
import { type Generation } from '../../../../core/projection.js';
import { plainQuery, type PlainQuery, type Query } from '../../../../core/read-models.js';
import { collectionName, rowsIn, withIds, type Row, type StoredDocument } from '../documents.js';
import { filterOf, type DocumentFilter } from './filter.js';
import { findIds, findRows } from './find.js';
import { sorted } from '../entries.js';
import { type GivenDocuments } from './given.js';
import { totalName } from '../../../shared/total-cache.js';
import { isSameMoment, type Served } from '../serving-state.js';
import { readOrdered } from './ordered.js';
import { firstSliceOf, withBodies, type FirstSlice, type StoredSlice } from './slice.js';

export interface StoredPage extends StoredSlice {
  readonly total: number;
}

interface Sliced {
  /** Whether the first slice of the page will do. */
  readonly sliced?: true | undefined;
}

type PageQuery = PlainQuery & Sliced;

export interface PageSource {
  readonly documents: (model: string, generation: Generation) => Collection<StoredDocument>;
  /** What the projection serves at this moment. */
  readonly look: (id: string) => Promise<Served | null>;
  readonly given: GivenDocuments;
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
  query: Query & Sliced,
): Promise<StoredPage | null> {
  let before = served;
  for (let tries = 1; tries < MOST_TRIES; tries += 1) {
    const { page, after } = await readAt(source, before, model, query, true);
    if (after === undefined) return page;
    before = after;
  }
  // What was given has never been of the moment of the page.
  return (await readAt(source, before, model, query, false)).page;
}

interface ReadPage {
  readonly page: StoredPage | null;
  /** What is served by now, if the page is not of one moment. */
  readonly after?: Served;
}

async function readAt(
  source: PageSource,
  before: Served,
  model: string,
  query: Query & Sliced,
  isTotalGiven: boolean,
): Promise<ReadPage> {
  const document = await source.given.read(before, query);
  const { total, ...plain } = { ...plainQuery(query, document), sliced: query.sliced };
  const filter = filterOf(plain.where);
  if (filter === null) return { page: EMPTY };
  const name = totalName(collectionName(model, before.generation), before.position, plain.where);
  const known = source.totals.get(name) ?? (isTotalGiven ? total : undefined);
  const isOfMoment = plain.where.length > query.where.length;
  const reading = { collection: source.documents(model, before.generation), filter, isOfMoment, known };
  const page = await readOnce(reading, plain);
  if (page.isCertain) return { page };
  const after = await source.look(before.id);
  if (after === null) return { page: null };
  if (isSameMoment(before, after)) {
    source.totals.set(name, page.total);
    source.given.keep(before, query, document);
    return { page };
  }
  const whole = await readWhole(source.documents(model, after.generation), reading, plain, page.total);
  return whole === null ? { page, after } : { page: whole };
}

interface Reading {
  readonly collection: Collection<StoredDocument>;
  readonly filter: DocumentFilter;
  /** What it finds at another moment may not be all. */
  readonly isOfMoment: boolean;
  /** The total, if it was counted or given; else the documents have to be counted. */
  readonly known: number | undefined;
}

interface Certainty {
  /** Whether it is all of one moment, under concurrent writes. */
  readonly isCertain: boolean;
}

async function readOnce(reading: Reading, query: PageQuery): Promise<StoredPage & Certainty> {
  const { limit, offset } = query;
  if (limit === 0) return { ...EMPTY, total: await totalOf(reading), isCertain: false };
  if (offset >= DEEP && isWhole(query)) return { ...(await readDeep(reading, query)), isCertain: false };
  const { isCertain, ...slice } = await readRows(reading, query);
  // A page that is not full shows the end of the documents, so no count is needed.
  const found = slice.rows.length + slice.rest.length;
  const isEnd = query.after === undefined && found < limit && (found > 0 || offset === 0);
  if (isEnd) return { ...slice, total: offset + found, isCertain };
  const counted = await totalOf(reading);
  // It has to agree with the page at least.
  return { ...slice, total: agreeing(counted, query, found), isCertain: false };
}

function agreeing(counted: number, { limit, offset, after }: PageQuery, found: number): number {
  if (after !== undefined) return Math.max(counted, found);
  return found === limit ? Math.max(counted, offset + limit) : Math.min(counted, offset);
}

/** Whether it goes through the ids from one end to the other. */
const isWhole = ({ order = [], after }: PageQuery): boolean => order.length === 0 && after === undefined;

async function totalOf({ known, collection, filter }: Reading): Promise<number> {
  return known ?? (await collection.countDocuments(filter));
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
  const found = await findIds(collection, filter, query);
  const ids = reversed ? found.toReversed() : found;
  if (ids.length === 0) return EMPTY;
  const isAscending = (query.direction === 'asc') !== reversed;
  const options = { sort: { _id: isAscending ? 1 : -1 }, batchSize: ids.length + 1 } as const;
  const rows = rowsIn(collection, withIds(ids), options);
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
  if (isOfMoment || expected > MOST_AT_ONCE || query.after !== undefined) return null;
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
  if ((query.order ?? []).length > 0) return { ...(await readOrdered(collection, filter, query)), isCertain: false };
  const { slice, last } = await sliceOf(findRows(collection, filter, query), query);
  if (last === null) return { rows: slice, rest: [], isCertain: !isOfMoment };
  // Not by their number: of those in front there may be more or less by now.
  const after = { id: sorted(last), values: [] };
  const behind = { ...query, after, offset: 0, limit: query.limit - slice.length };
  const rest = behind.limit === 0 ? [] : findIds(collection, filter, behind);
  return { rows: slice, rest: await rest, isCertain: false };
}

async function sliceOf(rows: FindCursor<Row>, { sliced }: PageQuery): Promise<FirstSlice> {
  return sliced === undefined ? { slice: withBodies(await rows.toArray()), last: null } : firstSliceOf(rows);
}
