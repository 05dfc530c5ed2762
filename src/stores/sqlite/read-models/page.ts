import { type Position } from '../../../core/event-log.js';
import { type PlainQuery } from '../../../core/read-models.js';
import { firstSlice } from '../../shared/read-slices.js';
import { totalName } from '../../shared/total-cache.js';
import { NOTHING } from './conditions.js';
import { condition, type Source } from './criteria-to-sql.js';
import { selection, type Selection } from './selection.js';
import { number, type Sql } from './sql.js';
import { type SqlValue } from '../connection.js';
import { storable } from '../../shared/well-formed-text.js';

interface StoredRow {
  readonly id: number | string;
  readonly body: string;
}

interface StoredSlice {
  readonly rows: readonly StoredRow[];
  readonly rest: readonly StoredRow['id'][];
}

interface StoredPage extends StoredSlice {
  readonly total: number;
}

export interface PageQuery extends PlainQuery {
  /** Whether the first slice of the page will do. */
  readonly sliced?: true | undefined;
}

/** Totals that had to be counted, by what was counted and when. */
export interface Totals {
  get(name: string): number | undefined;
  set(name: string, total: number): unknown;
}

/** Of the read model, as the transaction sees it. */
interface State {
  readonly documents: number;
  readonly position: Position | null;
}

const EMPTY: StoredPage = { rows: [], rest: [], total: 0 };

/** Inside a read transaction, so that the total belongs to the page. */
export function readPage(source: Source, query: PageQuery, state: () => State, totals: Totals): StoredPage {
  const matching = condition(source, query.where);
  if (matching === NOTHING) return EMPTY;
  const known = query.where.length === 0 ? state().documents : (query.total ?? matching.total);
  const selected = selection(source, matching, query);
  const slice = sliceOf(source, selected, query, known);
  const total = endOf(query, slice) ?? known ?? countedTotal(source, query, selected, state, totals);
  return { ...slice, total };
}

function sliceOf(source: Source, selected: Selection, query: PageQuery, all: number | undefined): StoredSlice {
  if (query.sliced === true && selected.isWalkedWhole) return readSlice(source, idsOf(source, selected, query));
  return readFromNearerEnd(source, selected, query, all);
}

/** Where the documents end, if the page shows it. */
function endOf({ offset, limit }: PageQuery, { rows, rest }: StoredSlice): number | undefined {
  const found = rows.length + rest.length;
  return found < limit && (found > 0 || offset === 0) ? offset + found : undefined;
}

export function readIds(source: Source, query: PlainQuery): readonly StoredRow['id'][] {
  const matching = condition(source, query.where);
  return matching === NOTHING ? [] : idsOf(source, selection(source, matching, query), query);
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
  if (query.sliced === true) return readSlice(source, idsOf(source, matching, query).reverse());
  const { rows, rest } = readBodies(source, matching, query);
  return { rows: rows.toReversed(), rest };
}

function readBodies(source: Source, matching: Sql, query: PageQuery): StoredSlice {
  const { direction, limit, offset, sliced } = query;
  const order = direction === 'asc' ? 'ASC' : 'DESC';
  const text = `SELECT b.id, b.body FROM (${pageOf(matching, query)}) p
    CROSS JOIN ${source.names.documents} b ON b.id = p.id ORDER BY p.id ${order}`;
  const found = selecting(source, text);
  if (sliced === undefined) return { rows: found.all(...matching.values, limit, offset), rest: [] };
  const all = found.iterate(...matching.values, limit, offset);
  const { slice: rows, isCut } = firstSlice(all, ({ body }) => body.length);
  if (!isCut) return { rows, rest: [] };
  const behind = { ...query, offset: offset + rows.length, limit: limit - rows.length };
  return { rows, rest: idsOf(source, matching, behind) };
}

function idsOf(source: Source, matching: Sql, query: PlainQuery): StoredRow['id'][] {
  const rows = selecting(source, pageOf(matching, query)).all(...matching.values, query.limit, query.offset);
  return rows.map(({ id }) => id);
}

interface Selecting {
  all(...values: readonly SqlValue[]): StoredRow[];
  iterate(...values: readonly SqlValue[]): Iterable<StoredRow>;
}

/** The engine does not know what the columns hold. */
const selecting = ({ file }: Source, text: string): Selecting => file.sql(text) as unknown as Selecting;

const pageOf = ({ text }: Sql, { direction }: PlainQuery): string =>
  `${text} ORDER BY id ${direction === 'asc' ? 'ASC' : 'DESC'} LIMIT ? OFFSET ?`;

/** Those that exist, in the order of the ids. */
export function readSlice(
  { file, names }: Pick<Source, 'file' | 'names'>,
  ids: readonly StoredRow['id'][],
): StoredSlice {
  const one = file.sql(`SELECT id, body FROM ${names.documents} WHERE id = ?`);
  const found = function* () {
    for (const id of ids) yield one.get(storable(id)) as StoredRow | undefined;
  };
  const { slice } = firstSlice(found(), (row) => row?.body.length ?? 0);
  return { rows: slice.filter((row) => row !== undefined), rest: ids.slice(slice.length) };
}

function countedTotal(
  source: Source,
  { where }: PlainQuery,
  { text, values }: Sql,
  state: () => State,
  totals: Totals,
): number {
  const name = totalName(source.names.documents, state().position, where);
  const known = totals.get(name);
  if (known !== undefined) return known;
  const n = number(source.file, { text: `SELECT count(*) AS n FROM (${text})`, values });
  totals.set(name, n);
  return n;
}
