import { type Position } from '../core/event-log.js';
import { type Query } from '../core/read-models.js';
import { condition, number, type Condition, type Source, type Sql } from './sqlite-query.js';
import { type SqlValue } from './sqlite.js';

interface StoredRow {
  readonly id: number | string;
  readonly body: string;
}

interface StoredPage {
  readonly rows: readonly StoredRow[];
  readonly total: number;
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

const EMPTY: StoredPage = { rows: [], total: 0 };

/** Inside a read transaction, so that the total belongs to the page. */
export function readPage(source: Source, query: Query, state: () => State, totals: Totals): StoredPage {
  const conditions: Condition[] = [];
  for (const criterion of query.where) {
    const next = condition(source, criterion);
    if (next === 'none') return EMPTY;
    if (next !== null) conditions.push(next);
  }
  // What a single condition matches is seen in the page itself; asking beforehand costs as much again.
  if (conditions.length > 1 && conditions.some(({ size }) => size() === 0)) return EMPTY;
  const matching = selection(source, conditions);
  const rows = readFromNearerEnd(source, matching, query, conditions);
  return { rows, total: total(source, query, conditions, { matching, state, found: rows.length }, totals) };
}

/** Walks what the most selective condition matches, and asks the others of each of its documents. */
function selection({ names }: Source, conditions: readonly Condition[]): Sql {
  const [driver, ...others] = conditions.length === 1 ? conditions : conditions.toSorted((a, b) => a.size() - b.size());
  if (driver === undefined) return { text: `SELECT d.id FROM ${names.documents} d`, values: [] };
  if (driver.walk.text === '') return narrowed(`SELECT d.id FROM ${names.documents} d WHERE true`, [], conditions);
  const { walk } = driver;
  const select = walk.distinct ? 'SELECT d.id' : 'SELECT DISTINCT d.id';
  const walked = `${select} FROM ${walk.table} d WHERE ${walk.text}`;
  return others.length === 0
    ? { text: walked, values: walk.values }
    : narrowed(walked, walk.values, others, driver.size());
}

function narrowed(text: string, values: readonly SqlValue[], others: readonly Condition[], driving = Infinity): Sql {
  const probes = others.map(({ probe }) => probe(driving));
  return {
    text: [text, ...probes.map((probe) => `AND ${probe.text}`)].join(' '),
    values: [...values, ...probes.flatMap((probe) => probe.values)],
  };
}

/** Offsets from here on are worth the question how many there are. */
const DEEP = 1000;

/** A walk to a deep offset of which the whole length is known starts at the end that is nearer. */
function readFromNearerEnd(source: Source, matching: Sql, query: Query, conditions: readonly Condition[]): StoredRow[] {
  const { direction, limit, offset } = query;
  const [only, ...others] = conditions;
  const isCounted = only !== undefined && others.length === 0 && only.walk.distinct;
  if (!isCounted || offset < DEEP) return readBodies(source, matching, query);
  const behind = only.size() - offset;
  if (behind > offset) return readBodies(source, matching, query);
  if (behind <= 0) return [];
  const fromEnd = {
    ...query,
    direction: direction === 'asc' ? ('desc' as const) : ('asc' as const),
    limit: Math.min(limit, behind),
    offset: Math.max(0, behind - limit),
  };
  return readBodies(source, matching, fromEnd).reverse();
}

function readBodies({ file, names }: Source, matching: Sql, { direction, limit, offset }: Query): StoredRow[] {
  const order = direction === 'asc' ? 'ASC' : 'DESC';
  const page = `${matching.text} ORDER BY d.id ${order} LIMIT ? OFFSET ?`;
  return file
    .sql(`SELECT b.id, b.body FROM (${page}) p CROSS JOIN ${names.documents} b ON b.id = p.id ORDER BY p.id ${order}`)
    .all(...matching.values, limit, offset) as unknown as StoredRow[];
}

interface Found {
  readonly matching: Sql;
  readonly state: () => State;
  readonly found: number;
}

function total(
  source: Source,
  { where, limit, offset }: Query,
  conditions: readonly Condition[],
  { matching, state, found }: Found,
  totals: Totals,
): number {
  const [only, ...others] = conditions;
  if (only === undefined) return state().documents;
  if (found < limit && (found > 0 || offset === 0)) return offset + found;
  if (others.length === 0 && only.walk.distinct) return only.size();
  const name = JSON.stringify([source.names.documents, state().position, where], finite);
  const known = totals.get(name);
  if (known !== undefined) return known;
  const counted = number(source, { text: `SELECT count(*) AS n FROM (${matching.text})`, values: matching.values });
  totals.set(name, counted);
  return counted;
}

/** JSON has no infinite numbers. */
function finite(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
