import { type Position } from '../../../core/event-log.js';
import { type PlainQuery } from '../../../core/read-models.js';
import { firstSlice } from '../../shared/read-slices.js';
import { totalName } from '../../shared/total-cache.js';
import { condition, number, type Condition, type Source, type Sql } from './criteria-to-sql.js';
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
  const conditions = conditionsOf(source, query);
  if (conditions === null) return EMPTY;
  const matching = selection(source, conditions, query);
  const slice = isWalkedWhole(query, conditions)
    ? readSlice(source, idsOf(source, matching, query))
    : readFromNearerEnd(source, matching, query, conditions);
  const found = slice.rows.length + slice.rest.length;
  return { ...slice, total: totalOf(source, query, conditions, { matching, state, found }, totals) };
}

export function readIds(source: Source, query: PlainQuery): readonly StoredRow['id'][] {
  const conditions = conditionsOf(source, query);
  return conditions === null ? [] : idsOf(source, selection(source, conditions, query), query);
}

/** Null where no document can match. */
function conditionsOf(source: Source, { where }: PlainQuery): readonly Condition[] | null {
  const conditions: Condition[] = [];
  for (const criterion of where) {
    const next = condition(source, criterion);
    if (next === null) return null;
    conditions.push(next);
  }
  // What a single condition matches is seen in the page itself; asking beforehand costs as much again.
  if (conditions.length > 1 && conditions.some(({ size }) => size() === 0)) return null;
  return conditions;
}

/** Walks what the most selective condition matches, and asks the others of each of its documents. */
function selection({ names }: Source, conditions: readonly Condition[], query: PlainQuery): Sql {
  const [driver, ...others] = conditions.length === 1 ? conditions : conditions.toSorted((a, b) => a.size() - b.size());
  if (driver === undefined) return { text: `SELECT d.id FROM ${names.documents} d`, values: [] };
  const { walk } = driver;
  const probes = others.map(({ probe }) => probe(met(driver.size(), query)));
  const walked = (select: string, { text, values }: Sql): Sql => ({
    text: [`${select} FROM ${walk.table} d WHERE ${text}`, ...probes.map((probe) => `AND ${probe.text}`)].join(' '),
    values: [...values, ...probes.flatMap((probe) => probe.values)],
  });
  if (walk.distinct) return walked('SELECT d.id', walk);
  const { parts = [] } = driver;
  if (parts.length === 0) return walked('SELECT DISTINCT d.id', walk);
  // SQLite merges them in the order of the ids, as far as the page goes.
  const all = parts.map((part) => walked('SELECT d.id', part));
  return { text: all.map(({ text }) => text).join(' UNION '), values: all.flatMap(({ values }) => values) };
}

/** About how many documents of a walk are asked about: all where they have to be counted. */
const met = (size: number, { total, offset, limit }: PlainQuery): number =>
  total === undefined || total === 0 ? size : Math.min(size, ((offset + limit) * size) / total);

/** Of a slice, where a walk may meet a document twice: it goes to its end for the first one already. */
const isWalkedWhole = ({ sliced }: PageQuery, conditions: readonly Condition[]): boolean =>
  sliced === true && conditions.every(({ walk, parts = [] }) => !walk.distinct && parts.length === 0);

/** Offsets from here on are worth the question how many there are. */
const DEEP = 1000;

/** A walk to a deep offset of which the whole length is known starts at the end that is nearer. */
function readFromNearerEnd(
  source: Source,
  matching: Sql,
  query: PageQuery,
  conditions: readonly Condition[],
): StoredSlice {
  const { direction, limit, offset } = query;
  const all = query.total ?? counted(conditions);
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

/** Undefined where what matches would have to be counted. */
function counted([only, ...others]: readonly Condition[]): number | undefined {
  return only !== undefined && others.length === 0 && only.walk.distinct ? only.size() : undefined;
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

interface Found {
  readonly matching: Sql;
  readonly state: () => State;
  readonly found: number;
}

function totalOf(
  source: Source,
  { where, limit, offset, total: given }: PlainQuery,
  conditions: readonly Condition[],
  { matching, state, found }: Found,
  totals: Totals,
): number {
  if (conditions.length === 0) return state().documents;
  if (found < limit && (found > 0 || offset === 0)) return offset + found;
  const size = given ?? counted(conditions);
  if (size !== undefined) return size;
  const name = totalName(source.names.documents, state().position, where);
  const known = totals.get(name);
  if (known !== undefined) return known;
  const n = number(source, { text: `SELECT count(*) AS n FROM (${matching.text})`, values: matching.values });
  totals.set(name, n);
  return n;
}
