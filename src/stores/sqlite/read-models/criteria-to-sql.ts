import { type Criterion } from '../../../core/read-models.js';
import { type ReadModelFile, type Tables } from './file.js';
import { type SqlValue } from '../connection.js';
import { searchable, storable, type Value } from '../../shared/well-formed-text.js';

/** A piece of SQL and the values of its question marks. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The read models as one query sees them, inside a read transaction. */
export interface Source {
  readonly file: ReadModelFile;
  readonly names: Tables;
  /** Undefined for a key that no document has ever had. */
  readonly numberOf: (key: string) => number | undefined;
}

/** How a criterion can be answered: by walking what it matches, or by asking it of one document `d` at a time. */
export interface Condition {
  /** About how many rows a walk reads, 0 only when it finds nothing; infinite where it cannot be walked. Costs a query. */
  readonly size: () => number;
  /** Table and restriction to walk, in alias `d`; the ids come once each only if `distinct`. */
  readonly walk: Sql & { readonly table: string; readonly distinct: boolean };
  /** Several restrictions instead, together the same, of each of which the ids come once each and in order. */
  readonly parts?: readonly Sql[];
  /** True of `d.id`; `driving` is how many documents will be asked about. */
  readonly probe: (driving: number) => Sql;
}

/** Past this number, values travel as one JSON text. */
const MOST_MARKS = 64;

/** As they are stored, each once. */
const distinctOf = (given: readonly Value[]): readonly Value[] => [...new Set(given.map(storable))];

/** `(?, ?)`, padded so that lists of about the same length share a statement. JSON would round some fractions. */
function list(values: readonly Value[]): Sql {
  if (values.length <= MOST_MARKS) return marks(values);
  const exact = values.filter((value) => typeof value === 'string' || Number.isSafeInteger(value));
  const others = marks(values.filter((value) => typeof value === 'number' && !Number.isSafeInteger(value)));
  const rows = others.values.map(() => ' UNION ALL SELECT ?').join('');
  return { text: `(SELECT value FROM json_each(?)${rows})`, values: [JSON.stringify(exact), ...others.values] };
}

function marks(values: readonly Value[]): Sql {
  const last = values.at(-1);
  if (last === undefined) return { text: '()', values: [] };
  const length = 2 ** Math.ceil(Math.log2(values.length));
  const padded = [...values, ...Array<Value>(length - values.length).fill(last)];
  return { text: `(${padded.map(() => '?').join(', ')})`, values: padded };
}

function once(work: () => number): () => number {
  let known: number | undefined;
  return () => (known ??= work());
}

export function number(source: Source, { text, values }: Sql): number {
  return Number(source.file.sql(text).get(...values)?.['n'] ?? 0);
}

/** Null: no document can match. */
export function condition(source: Source, criterion: Criterion): Condition | null {
  const key = source.numberOf(criterion.key);
  if (key === undefined) return null;
  switch (criterion.type) {
    case 'any-of':
      return anyOf(source, key, criterion.values);
    case 'range':
      return range(source, key, criterion);
    case 'contains':
      return contains(source, key, criterion.text);
  }
}

/** More of them would be slower than sorting. */
const MOST_PARTS = 32;

/** Of the values that there are: each of the others would be looked for in every document. */
function anyOf(source: Source, key: number, values: readonly Value[]): Condition | null {
  const { entries } = source.names;
  const there = counted(source, key, list(distinctOf(values)));
  if (there.length === 0) return null;
  const size = there.reduce((sum, { n }) => sum + n, 0);
  const wanted = list(there.map(({ value }) => value));
  const where: Sql = { text: `key = ? AND value IN ${wanted.text}`, values: [key, ...wanted.values] };
  const isMerged = there.length <= MOST_PARTS;
  return {
    size: () => size,
    walk: { text: where.text, values: where.values, table: entries, distinct: there.length === 1 },
    parts: isMerged ? there.map(({ value }) => ({ text: 'key = ? AND value = ?', values: [key, value] })) : [],
    probe: (driving) => (driving * there.length <= size ? has(entries, where) : among(entries, where)),
  };
}

/** In how many documents each of these values is. */
function counted({ file, names }: Source, key: number, { text, values }: Sql): readonly { value: Value; n: number }[] {
  const rows = file.sql(`SELECT value, n FROM ${names.counts} WHERE key = ? AND value IN ${text}`).all(key, ...values);
  return rows.map(({ value, n }) => ({ value: value as Value, n: Number(n) }));
}

/**
 * The plus keeps SQLite from making a join of it: that one meets a document once for each matching entry, and OFFSET
 * then counts it as often (seen with 3.53.0).
 */
const has = (table: string, where: Sql): Sql => ({
  text: `+EXISTS (SELECT 1 FROM ${table} e WHERE ${where.text} AND e.id = d.id)`,
  values: where.values,
});

/** The plus keeps SQLite from walking the set instead of what the query chose to walk. */
const among = (table: string, where: Sql): Sql => ({
  text: `+d.id IN (SELECT e.id FROM ${table} e WHERE ${where.text})`,
  values: where.values,
});

/** Counting further than this costs more than knowing it is worth. */
const MOST_COUNTED = 20_000;

function range(source: Source, key: number, criterion: Extract<Criterion, { type: 'range' }>): Condition {
  const { entries } = source.names;
  const bounds = [
    { sign: '>', bound: criterion.above },
    { sign: '>=', bound: criterion.from ?? -Infinity },
    { sign: '<=', bound: criterion.to ?? Infinity },
    { sign: '<', bound: criterion.below },
  ].flatMap(({ sign, bound }) => (bound === undefined ? [] : [{ sign, bound }]));
  const where: Sql = {
    text: `key = ? ${bounds.map(({ sign }) => `AND value ${sign} ?`).join(' ')}`,
    values: [key, ...bounds.map(({ bound }) => bound)],
  };
  const size = once(() =>
    number(source, {
      text: `SELECT count(*) AS n FROM (SELECT 1 FROM ${entries} WHERE ${where.text} LIMIT ${MOST_COUNTED})`,
      values: where.values,
    }),
  );
  return {
    size,
    walk: { text: where.text, values: where.values, table: entries, distinct: false },
    probe: () => among(entries, where),
  };
}

/** A walk through texts reads this many rows in the time of one probe. */
const TEXTS_PER_PROBE = 4;

function contains(source: Source, key: number, text: string): Condition {
  const { texts, text_counts: counts } = source.names;
  const where: Sql = { text: 'key = ? AND instr(folded, ?) > 0', values: [key, searchable(text)] };
  return {
    size: once(
      () => number(source, { text: `SELECT n FROM ${counts} WHERE key = ?`, values: [key] }) / TEXTS_PER_PROBE,
    ),
    walk: { ...where, table: texts, distinct: false },
    probe: () => has(texts, where),
  };
}
