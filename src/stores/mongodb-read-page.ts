/** Pages of documents with totals of the same moment, from a server that reads the two one after the other. */
import { type Collection, type Filter } from 'mongodb';
import { type Run } from '../core/projection.js';
import { type Query } from '../core/read-models.js';
import { collectionName, type StoredDocument } from './mongodb-read-documents.js';
import { filterOf, type DocumentFilter } from './mongodb-read-filter.js';
import { isSameMoment, type Served } from './mongodb-read-seen.js';

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

/** `served` as it was some moments ago. */
export async function readPage(source: PageSource, served: Served, model: string, query: Query): Promise<StoredPage> {
  const filter = filterOf(query.where);
  if (filter === null) return EMPTY;
  let before = served;
  for (let tries = 1; ; tries += 1) {
    const name = JSON.stringify([collectionName(model, before.run), before.position, query.where], finite);
    const page = await readOnce(source.documents(model, before.run), filter, query, source.totals.get(name));
    if (page.isCertain) return page;
    const after = await source.look(before.projection);
    if (after === null) return EMPTY;
    if (isSameMoment(before, after)) {
      source.totals.set(name, page.total);
      return page;
    }
    const whole = await readWhole(source.documents(model, after.run), filter, query, page.total);
    if (whole !== null) return whole;
    if (tries === MOST_TRIES) return page;
    before = after;
  }
}

async function readOnce(
  collection: Collection<StoredDocument>,
  filter: DocumentFilter,
  query: Query,
  known: number | undefined,
): Promise<StoredPage & { readonly isCertain: boolean }> {
  const { limit, offset } = query;
  const [rows, counted] = await Promise.all([
    limit === 0 ? [] : readRows(collection, filter, query),
    known ?? collection.countDocuments(asFilter(filter)),
  ]);
  if (limit === 0) return { rows, total: counted, isCertain: true };
  // A page that is not full shows by itself where the documents end. Another one has to agree with the total at least.
  const isFull = rows.length === limit;
  const isCertain = !isFull && (rows.length > 0 || offset === 0);
  if (isCertain) return { rows, total: offset + rows.length, isCertain };
  return { rows, total: isFull ? Math.max(counted, offset + limit) : Math.min(counted, offset), isCertain };
}

/** What one command reads is of one moment. Null where that is too much. */
async function readWhole(
  collection: Collection<StoredDocument>,
  filter: DocumentFilter,
  query: Query,
  expected: number,
): Promise<StoredPage | null> {
  if (expected > MOST_AT_ONCE) return null;
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
