/** Pages in the order of values: what matches is sorted, or the values are walked in their order. */
import { type OrderKey, type PlainQuery, type StartKey } from '../../../../core/read-models.js';
import { storable, type Value } from '../../../shared/well-formed-text.js';
import { all, none, type Condition } from './conditions.js';
import { filled, type Source } from './criteria-to-sql.js';
import { behind, byIds, directionOf, idsOf, selection } from './selection.js';
import { MOST_COUNTED } from './sizes.js';
import { joined, number, type Sql } from './sql.js';

interface Key {
  readonly number: number;
  readonly isAscending: boolean;
}

/** `total`: about how many documents match. */
export function orderedIds(source: Source, matching: Condition, query: PlainQuery, total: number): readonly Value[] {
  const keys = (query.order ?? []).map((key) => keyOf(source, key));
  const [first, ...others] = keys;
  if (first === undefined) {
    return idsOf(source, byIds(selection(source, matching, query, behind(query)), query), query);
  }
  if (!isWalked(source, first, query, total * matching.size())) {
    return idsOf(source, sorted(source, matching, query, keys), query);
  }
  return walkedIds(source, matching, query, [first, others], total);
}

function walkedIds(
  source: Source,
  matching: Condition,
  query: PlainQuery,
  [first, others]: readonly [Key, readonly Key[]],
  total: number,
): readonly Value[] {
  const { offset, limit } = query;
  const walk = query.after?.values[0] === null ? NO_IDS : walked(source, matching, query, first, others);
  const found = idsOf(source, walk, query);
  if (found.length === limit) return found;
  const passed = found.length > 0 || offset === 0 ? offset : countOf(source, walk);
  const rest = { ...withoutFirst(query), offset: offset - passed, limit: limit - found.length };
  return [...found, ...orderedIds(source, all([matching, none(filled(source, first.number))]), rest, total)];
}

const NO_IDS: Sql = { text: 'SELECT 1 AS id WHERE 0', values: [] };

/** No document has it. */
const NO_KEY = -1;

function keyOf({ numberOf }: Source, { key, direction }: OrderKey): Key {
  return { number: numberOf(key) ?? NO_KEY, isAscending: direction === 'asc' };
}

/** Of the documents that have no value under the first key: all of them come behind those that have one. */
function withoutFirst({ order = [], after, ...query }: PlainQuery): PlainQuery {
  const [first, ...values] = after?.values ?? [];
  const place = after === undefined || first !== null ? {} : { after: { ...after, values } };
  return { ...query, ...place, order: order.slice(1) };
}

/** A walk in the order ends with the page. On its way it meets what does not match. */
const WORTH = 4;

/** `pairs`: of what matches, and what would be sorted. */
function isWalked(
  { names, sizeOf }: Source,
  { number: key }: Key,
  { offset, limit }: PlainQuery,
  pairs: number,
): boolean {
  const worth = pairs / (WORTH * (offset + limit));
  return worth > MOST_COUNTED || worth > sizeOf(names.entries, { text: 'key = ?', values: [key] });
}

function sorted(source: Source, matching: Condition, query: PlainQuery, keys: readonly Key[]): Sql {
  const { text, values } = selection(source, matching, query);
  const columns = keys.map((key) => valueOf(source, key));
  const rows: Sql = {
    text: `SELECT d.id AS id, ${columnsOf(columns)} FROM (${text}) d`,
    values: [...columns.flatMap((column) => column.values), ...values],
  };
  return inOrder(rows, query, keys, ['v0 IS NULL']);
}

/** Of the documents with a value under the first key, each at the value that counts. */
function walked(source: Source, matching: Condition, query: PlainQuery, first: Key, others: readonly Key[]): Sql {
  const { entries, entries_by_id: byId } = source.names;
  const columns = [{ text: 'd.value', values: [] }, ...others.map((key) => valueOf(source, key))];
  const isFirst: Sql = {
    text: `NOT EXISTS (SELECT 1 FROM ${byId} s
      WHERE s.id = d.id AND s.key = d.key AND s.value ${first.isAscending ? '<' : '>'} d.value)`,
    values: [],
  };
  const where = joined(
    [
      { text: 'd.key = ?', values: [first.number] },
      ...fromPlace(query, first, others),
      matching.probe(query.offset + query.limit),
      isFirst,
    ],
    'AND',
  );
  const rows: Sql = {
    text: `SELECT d.id AS id, ${columnsOf(columns)} FROM ${entries} d WHERE ${where.text}`,
    values: [...columns.flatMap((column) => column.values), ...where.values],
  };
  return inOrder(rows, query, [first, ...others], []);
}

/** Where the walk begins. */
function fromPlace({ after, direction }: PlainQuery, { isAscending }: Key, others: readonly Key[]): readonly Sql[] {
  const value = after?.values[0] ?? null;
  if (after === undefined || value === null) return [];
  const sign = isAscending ? '>' : '<';
  const isWhole = others.length === 0 && isAscending === (direction === 'asc');
  return isWhole
    ? [{ text: `(d.value, d.id) ${sign} (?, ?)`, values: [storable(value), storable(after.id)] }]
    : [{ text: `d.value ${sign}= ?`, values: [storable(value)] }];
}

const columnsOf = (columns: readonly Sql[]): string => columns.map(({ text }, n) => `${text} AS v${n}`).join(', ');

/** The value under the key that counts. */
function valueOf({ names }: Source, { number: key, isAscending }: Key): Sql {
  const from = `${names.entries_by_id} s`;
  const text = `(SELECT ${isAscending ? 'min' : 'max'}(s.value) FROM ${from} WHERE s.id = d.id AND s.key = ?)`;
  return { text, values: [key] };
}

function inOrder(rows: Sql, { after, direction }: PlainQuery, keys: readonly Key[], before: readonly string[]): Sql {
  const terms = keys.flatMap(({ isAscending }, n) => [
    ...(n === 0 ? before : [`v${n} IS NULL`]),
    `v${n} ${directionOf(isAscending)}`,
  ]);
  const isBehind = after === undefined ? { text: '1', values: [] } : behindStartKey(keys, after, direction);
  const order = [...terms, `id ${directionOf(direction === 'asc')}`].join(', ');
  return {
    text: `SELECT id FROM (${rows.text}) WHERE ${isBehind.text} ORDER BY ${order}`,
    values: [...rows.values, ...isBehind.values],
  };
}

function behindStartKey(keys: readonly Key[], { values, id }: StartKey, direction: PlainQuery['direction']): Sql {
  const byItsId: Sql = { text: `id ${direction === 'asc' ? '>' : '<'} ?`, values: [storable(id)] };
  return keys.reduceRight((next, { isAscending }, n) => {
    const given = values[n] ?? null;
    const value = given === null ? null : storable(given);
    const alike = joined([{ text: `v${n} IS ?`, values: [value] }, next], 'AND');
    if (value === null) return alike;
    const beyond: Sql = { text: `v${n} ${isAscending ? '>' : '<'} ? OR v${n} IS NULL`, values: [value] };
    return joined([beyond, alike], 'OR');
  }, byItsId);
}

function countOf({ file }: Source, { text, values }: Sql): number {
  return number(file, { text: `SELECT count(*) AS n FROM (${text})`, values });
}
