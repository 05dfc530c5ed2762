import { type Position } from '../../../../core/event-log.js';
import { type PlainQuery } from '../../../../core/read-models.js';
import { firstSlice } from '../../../shared/read-slices.js';
import { totalName, type Totals } from '../../../shared/total-cache.js';
import { NOTHING, type Condition } from './conditions.js';
import { type Source } from './criteria-to-sql.js';
import { orderedIds } from './ordering.js';
import { behind, byIds, directionOf, idsOf, selection } from './selection.js';
import { number, type Sql } from './sql.js';
import { type SqlValue } from '../../connection.js';
import { storable } from '../../../shared/well-formed-text.js';

interface StoredRow {
  readonly id: number | string;
  readonly body: string;
}

interface StoredSlice {
  readonly rows: readonly StoredRow[];
  readonly rest: readonly StoredRow['id'][];
}

export interface StoredPage extends StoredSlice {
  /** See `PageSlice`. */
  readonly beforeLast?: StoredRow | undefined;
  readonly total: number;
}

export interface PageQuery extends PlainQuery {
  /** Whether the first slice of the page will do. */
  readonly sliced?: true | undefined;
  /** Whether its ids will do: no document is read, and the total is not counted. */
  readonly idsAlone?: true | undefined;
}

/** Of the read model, as the transaction sees it. */
export interface State {
  readonly documents: number;
  readonly position: Position | null;
}

const EMPTY: StoredPage = { rows: [], rest: [], total: 0 };

/** Inside a read transaction, so that the total belongs to the page. `matching`: what the query matches. */
export function readPage(
  source: Source,
  query: PageQuery,
  matching: Condition,
  state: () => State,
  totals: Totals,
): StoredPage {
  if (matching === NOTHING) return EMPTY;
  if (query.idsAlone === true) return { ...EMPTY, rest: idsOfPage(source, query, matching) };
  const known = query.where.length === 0 ? state().documents : (query.total ?? matching.total);
  const total = (): number => known ?? countedTotal(source, query, matching, state, totals);
  if (isOrdered(query)) return readOrdered(source, matching, query, total());
  const slice = sliceOf(source, matching, query, known);
  return { ...slice, total: endOf(query, slice) ?? total() };
}

export const isOrdered = ({ order = [] }: PlainQuery): boolean => order.length > 0;

function readOrdered(source: Source, matching: Condition, query: PageQuery, total: number) {
  const ids = orderedIds(source, matching, query, total);
  if (query.sliced !== true) return { rows: bodiesOf(source, ids), rest: [], total };
  return { ...readSlice(source, ids), total, beforeLast: bodiesOf(source, ids.slice(-2, -1))[0] };
}

function sliceOf(source: Source, matching: Condition, query: PageQuery, all: number | undefined): StoredSlice {
  const selected = selection(source, matching, query, behind(query));
  if (query.sliced === true && selected.isWalkedWhole)
    return readSlice(source, idsOf(source, byIds(selected, query), query));
  if (query.after !== undefined) return readBodies(source, selected, query);
  return readFromNearerEnd(source, selected, query, all);
}

function idsOfPage(source: Source, query: PlainQuery, matching: Condition): StoredPage['rest'] {
  return orderedIds(source, matching, query, isOrdered(query) ? matching.size() : 0);
}

/** Where the documents end, if the page shows it. */
function endOf({ offset, limit, after }: PageQuery, { rows, rest }: StoredSlice): number | undefined {
  if (after !== undefined) return undefined;
  const found = rows.length + rest.length;
  return found < limit && (found > 0 || offset === 0) ? offset + found : undefined;
}

/** Offsets from here on are worth the question how many there are. */
const DEEP = 1000;

/** A walk to a deep offset of which the whole length is known starts at the end that is nearer. */
function readFromNearerEnd(source: Source, matching: Sql, query: PageQuery, all: number | undefined): StoredSlice {
  const { direction, limit, offset } = query;
  if (all === undefined || offset < DEEP) return readBodies(source, matching, query);
  const behind = all - offset;
  if (behind > offset) return readBodies(source, matching, query);
  if (behind <= 0) return EMPTY;
  const fromEnd = {
    ...query,
    direction: direction === 'asc' ? ('desc' as const) : ('asc' as const),
    limit: Math.min(limit, behind),
    offset: Math.max(0, behind - limit),
  };
  return readReversed(source, matching, fromEnd);
}

function readReversed(source: Source, matching: Sql, query: PageQuery): StoredSlice {
  if (query.sliced === true) return readSlice(source, idsOf(source, byIds(matching, query), query).toReversed());
  const { rows, rest } = readBodies(source, matching, query);
  return { rows: rows.toReversed(), rest };
}

function readBodies(source: Source, matching: Sql, query: PageQuery): StoredSlice {
  const { direction, limit, offset, sliced } = query;
  const text = `SELECT b.id, b.body FROM (${byIds(matching, query).text} LIMIT ? OFFSET ?) p
    CROSS JOIN ${source.names.documents} b ON b.id = p.id ORDER BY p.id ${directionOf(direction === 'asc')}`;
  const found = selecting(source, text);
  if (sliced === undefined) return { rows: found.all(...matching.values, limit, offset), rest: [] };
  const all = found.iterate(...matching.values, limit, offset);
  const { slice: rows, isCut } = firstSlice(all, ({ body }) => body.length);
  if (!isCut) return { rows, rest: [] };
  const behind = { ...query, offset: offset + rows.length, limit: limit - rows.length };
  return { rows, rest: idsOf(source, byIds(matching, behind), behind) };
}

interface Selecting {
  all(...values: readonly SqlValue[]): StoredRow[];
  iterate(...values: readonly SqlValue[]): Iterable<StoredRow>;
}

/** The engine has no types for the columns. */
const selecting = ({ file }: Source, text: string): Selecting => file.sql(text) as unknown as Selecting;

/** Those that exist, in the order of the ids. */
export function readSlice(source: Pick<Source, 'file' | 'names'>, ids: readonly StoredRow['id'][]): StoredSlice {
  const { slice } = firstSlice(rowsOf(source, ids), (row) => row?.body.length ?? 0);
  return { rows: slice.filter((row) => row !== undefined), rest: ids.slice(slice.length) };
}

function bodiesOf(source: Source, ids: readonly StoredRow['id'][]): readonly StoredRow[] {
  return [...rowsOf(source, ids)].filter((row) => row !== undefined);
}

function* rowsOf(
  { file, names }: Pick<Source, 'file' | 'names'>,
  ids: readonly StoredRow['id'][],
): Generator<StoredRow | undefined> {
  const one = file.sql(`SELECT id, body FROM ${names.documents} WHERE id = ?`);
  for (const id of ids) yield one.get(storable(id)) as StoredRow | undefined;
}

function countedTotal(
  source: Source,
  query: PlainQuery,
  matching: Condition,
  state: () => State,
  totals: Totals,
): number {
  const name = totalName(source.names.documents, state().position, query.where);
  const known = totals.get(name);
  if (known !== undefined) return known;
  const { text, values } = selection(source, matching, query);
  const n = number(source.file, { text: `SELECT count(*) AS n FROM (${text})`, values });
  totals.set(name, n);
  return n;
}
