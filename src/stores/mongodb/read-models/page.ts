/** Pages of documents with totals of the same moment, from a server that reads the two one after the other. */
import { type Db } from 'mongodb';
import { Problem } from '../../../core/problem.js';
import { plainQuery, type Document, type PlainQuery, type Query } from '../../../core/read-models.js';
import { SLICE_ROWS } from '../../shared/read-slices.js';
import { totalName, type Totals } from '../../shared/total-cache.js';
import { collectionName, documentsOf } from './documents.js';
import { sorted } from './entries.js';
import { filterOf } from './filter.js';
import { findIds, findRows } from './find.js';
import { readByIds, readOrdered, type Finding, type FoundSlice } from './found-ids.js';
import { isSettled, type Served } from './state.js';

interface StoredPage extends FoundSlice {
  readonly total: number;
}

export interface PageSource {
  readonly db: Db;
  /** What the projection serves at this moment. */
  readonly look: (id: string) => Promise<Served | null>;
  readonly given: GivenDocuments;
  readonly totals: Totals;
}

/** The documents that queries are given. */
export interface GivenDocuments {
  /** As it is now, or was at the moment; null also where the query is given none. */
  read(moment: Served, query: Query): Promise<Document | null>;
  /** The document is the one of this moment. */
  keep(moment: Served, query: Query, document: Document | null): void;
}

const EMPTY: StoredPage = { rows: [], rest: [], total: 0 };

/** How often a page is read again because something was written meanwhile. */
const MOST_TRIES = 3;
/** Of a page whose documents were deleted or moved each time. */
const MOST_TRIES_OF_TORN = 10;
const TORN = 'The page changed during every read; retry later';
/** So many documents are rather read all at once. */
const MOST_AT_ONCE = 500;
/** Offsets from here on are worth the question how many there are. */
const DEEP = 1000;

/** `served` as it was some moments ago. Null if nothing is served any longer. `isSliced`: the first slice will do. */
export async function readPage(
  source: PageSource,
  served: Served,
  model: string,
  query: Query,
  isSliced = false,
): Promise<StoredPage | null> {
  let before = served;
  for (let tries = 1; ; tries += 1) {
    // At the last tries, what was given has never been of the moment of the page.
    const isTotalGiven = tries < MOST_TRIES;
    const { page, after } = await readAt(source, before, model, { query, isSliced, isTotalGiven });
    if (after === undefined || (tries >= MOST_TRIES && page?.isTorn !== true)) return page;
    if (tries === MOST_TRIES_OF_TORN) throw new Problem('unavailable', TORN, { retryAfter: 1 });
    before = after;
  }
}

interface Asked {
  readonly query: Query;
  readonly isSliced: boolean;
  readonly isTotalGiven: boolean;
}

interface ReadPage {
  readonly page: StoredPage | null;
  /** What is served by now, if the page is not of one moment. */
  readonly after?: Served;
}

async function readAt(
  { db, look, given, totals }: PageSource,
  before: Served,
  model: string,
  { query, isSliced, isTotalGiven }: Asked,
): Promise<ReadPage> {
  const document = await given.read(before, query);
  const plain = plainQuery(query, document);
  const filter = filterOf(plain.where);
  if (filter === null) return { page: EMPTY };
  const name = totalName(collectionName(model, before.generation), before.position, plain.where);
  const known = totals.get(name) ?? (isTotalGiven ? plain.total : undefined);
  const isOfMoment = plain.where.length > query.where.length;
  const reading = { documents: documentsOf(db, model, before.generation), filter, query: plain, isSliced, isOfMoment };
  const page = await readOnce(reading, known);
  if (page.isCertain) return { page };
  const after = await look(before.id);
  if (after === null) return { page: null };
  if (isSameMoment(before, after)) {
    totals.set(name, page.total);
    given.keep(before, query, document);
    return { page };
  }
  const whole = await readWhole({ ...reading, documents: documentsOf(db, model, after.generation) }, page.total);
  return whole === null ? { page, after } : { page: whole };
}

/** Whether nothing was written between the two looks. */
function isSameMoment(before: Served, after: Served): boolean {
  const areSettled = isSettled(before) && isSettled(after);
  return areSettled && before.generation === after.generation && before.position === after.position;
}

interface Reading extends Finding {
  /** What the filter finds at another moment may not be all. */
  readonly isOfMoment: boolean;
}

interface Certainty {
  /** Whether it is all of one moment, under concurrent writes. */
  readonly isCertain: boolean;
}

/** `known`: the total, if it was counted or given; else the documents have to be counted. */
async function readOnce(reading: Reading, known: number | undefined): Promise<StoredPage & Certainty> {
  const { documents, filter, query } = reading;
  const { limit, offset } = query;
  const count = async (): Promise<number> => known ?? (await documents.countDocuments(filter));
  if (limit === 0) return { ...EMPTY, total: await count(), isCertain: false };
  if (offset >= DEEP && isWhole(query)) return { ...(await readDeep(reading, await count())), isCertain: false };
  const { isCertain, ...slice } = await readRows(reading);
  // A page that is not full shows the end of the documents, so no count is needed.
  const found = slice.rows.length + slice.rest.length;
  const isEnd = query.after === undefined && found < limit && (found > 0 || offset === 0);
  if (isEnd) return { ...slice, total: offset + found, isCertain };
  // It has to agree with the page at least.
  return { ...slice, total: agreeing(await count(), query, found), isCertain: false };
}

function agreeing(counted: number, { limit, offset, after }: PlainQuery, found: number): number {
  if (after !== undefined) return Math.max(counted, found);
  return found === limit ? Math.max(counted, offset + limit) : Math.min(counted, offset);
}

/** Whether it goes through the ids from one end to the other. */
const isWhole = ({ order = [], after }: PlainQuery): boolean => order.length === 0 && after === undefined;

/** From the nearer end. What is skipped is never looked into where the index has all that the filter asks. */
async function readDeep(reading: Reading, total: number): Promise<StoredPage> {
  const { documents, filter, query } = reading;
  const { limit, offset, direction } = query;
  const behind = total - offset;
  if (behind <= 0) return { ...EMPTY, total };
  if (behind > offset) return { ...(await readByIds(reading, await findIds(documents, filter, query))), total };
  const fromEnd = {
    ...query,
    direction: direction === 'asc' ? ('desc' as const) : ('asc' as const),
    limit: Math.min(limit, behind),
    offset: Math.max(0, behind - limit),
  };
  const ids = await findIds(documents, filter, fromEnd);
  return { ...(await readByIds(reading, ids.toReversed())), total };
}

async function readRows(reading: Reading): Promise<FoundSlice & Certainty> {
  const { documents, filter, query, isSliced, isOfMoment } = reading;
  if ((query.order ?? []).length > 0) return { ...(await readOrdered(reading)), isCertain: false };
  const { rows, last } = await findRows(documents, filter, query, isSliced);
  if (last === null) return { rows, rest: [], isCertain: !isOfMoment };
  // Not by their number: of those in front there may be more or less by now.
  const behind = { ...query, after: { id: sorted(last), values: [] }, offset: 0, limit: query.limit - rows.length };
  return { rows, rest: behind.limit === 0 ? [] : await findIds(documents, filter, behind), isCertain: false };
}

/** What one command reads is of one moment. Null where that is too much. */
async function readWhole(reading: Reading, expected: number): Promise<StoredPage | null> {
  const { documents, filter, query, isSliced, isOfMoment } = reading;
  if (isOfMoment || expected > MOST_AT_ONCE || query.after !== undefined) return null;
  const whole = { ...query, offset: 0, limit: MOST_AT_ONCE + 1 };
  // A whole slice, where large documents were read before, too: else this could not be of one moment.
  const { rows, last } = await findRows(documents, filter, whole, isSliced, isSliced ? SLICE_ROWS : whole.limit);
  // What does not fit in a slice takes a second command.
  if (rows.length > MOST_AT_ONCE || last !== null) return null;
  const page = rows.slice(query.offset, query.offset + query.limit);
  return { rows: page, rest: [], total: rows.length, beforeLast: page.at(-2) };
}
