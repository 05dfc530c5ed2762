import { type Criterion, type Range } from '../../../../core/read-models.js';
import { type ReadModelFile } from '../file.js';
import { type Tables } from '../schema.js';
import { rareAmong } from '../index/grams.js';
import { searchable, type Value } from '../../../shared/well-formed-text.js';
import { all, any, none, NOTHING, type Condition } from './conditions.js';
import { distinctOf, list, rowsOf } from './lists.js';
import { MOST_COUNTED, MOST_OF_VALUES, type SizeOf } from './sizes.js';
import { joined, number, type Sql } from './sql.js';

/** The read models as one query sees them, inside a read transaction. */
export interface Source {
  readonly file: ReadModelFile;
  readonly names: Tables;
  /** Undefined for a key that no document has ever had. */
  readonly numberOf: (key: string) => number | undefined;
  readonly sizeOf: SizeOf;
}

function once(work: () => number): () => number {
  let known: number | undefined;
  return () => (known ??= work());
}

/** Of all documents that match all of these. */
export function condition(source: Source, where: readonly Criterion[]): Condition {
  return all(where.map((criterion) => conditionOf(source, criterion)));
}

function conditionOf(source: Source, criterion: Criterion): Condition {
  switch (criterion.type) {
    case 'and':
      return condition(source, criterion.criteria);
    case 'or':
      return any(
        source.names.documents,
        criterion.criteria.map((one) => conditionOf(source, one)),
      );
    case 'not':
      return negation(source, criterion.criterion);
    case 'any-of':
    case 'range':
    case 'contains':
    case 'empty':
      return keyed(source, criterion);
  }
}

function negation(source: Source, criterion: Criterion): Condition {
  return criterion.type === 'not' ? conditionOf(source, criterion.criterion) : none(conditionOf(source, criterion));
}

function keyed(source: Source, criterion: Extract<Criterion, { key: string }>): Condition {
  const key = source.numberOf(criterion.key);
  if (key === undefined) return criterion.type === 'empty' ? none(NOTHING) : NOTHING;
  switch (criterion.type) {
    case 'any-of':
      return anyOf(source, key, criterion.values);
    case 'range':
      return range(source, key, criterion);
    case 'contains':
      return contains(source, key, criterion.text);
    case 'empty':
      return empty(source, key);
  }
}

/** Of the values that there are: each of the others would be looked for in every document. */
function anyOf(source: Source, key: number, values: readonly Value[]): Condition {
  const { entries } = source.names;
  const there = existing(source, key, distinctOf(values));
  if (there.length === 0) return NOTHING;
  const wanted = list(there);
  const where: Sql = { text: `key = ? AND value IN ${wanted.text}`, values: [key, ...wanted.values] };
  const together = { ...where, table: entries, isOnce: there.length === 1 };
  const each = (value: Value) => ({
    text: 'key = ? AND value = ?',
    values: [key, value],
    table: entries,
    isOnce: true,
  });
  const size = once(() => source.sizeOf(entries, where, MOST_OF_VALUES));
  return {
    size,
    walks: ({ most }) => (there.length > most ? [together] : there.map(each)),
    probe: (driving) =>
      isForEach(driving * there.length, size(), MOST_OF_VALUES) ? has(`${entries} AS e`, where) : among(entries, where),
  };
}

/** The values that at least one document has. */
function existing({ file, names }: Source, key: number, values: readonly Value[]): readonly Value[] {
  if (values.length === 0) return [];
  const { text, values: wanted } = rowsOf(values);
  const isThere = `EXISTS (SELECT 1 FROM ${names.entries} WHERE key = ? AND value = column1)`;
  const rows = file.sql(`SELECT column1 FROM (${text}) WHERE ${isThere}`).all(...wanted, key);
  return [...new Set(rows.map(({ column1 }) => column1 as Value))];
}

/** Whether this many look-ups are faster than collecting all matches. A size of `most` may be larger. */
const isForEach = (lookUps: number, size: number, most: number): boolean =>
  lookUps <= size || (size >= most && lookUps < Infinity);

/**
 * The plus keeps SQLite from making a join of it: that one meets a document once for each matching entry, and OFFSET
 * then counts it as often (seen with 3.53.0).
 */
const has = (table: string, where: Sql): Sql => ({
  text: `+EXISTS (SELECT 1 FROM ${table} WHERE ${where.text} AND e.id = d.id)`,
  values: where.values,
});

/** The plus keeps SQLite from walking the set instead of what the query chose to walk. */
const among = (table: string, where: Sql): Sql => ({
  text: `+d.id IN (SELECT e.id FROM ${table} e WHERE ${where.text})`,
  values: where.values,
});

function range({ names, sizeOf }: Source, key: number, criterion: Range): Condition {
  const { entries, entries_by_id: byId } = names;
  // Without a bound on each side, texts would be in the range.
  const { above, from = -Infinity, to = Infinity, below } = criterion;
  const bounds = [
    { sign: '>', bound: above },
    { sign: '>=', bound: from },
    { sign: '<=', bound: to },
    { sign: '<', bound: below },
  ].flatMap(({ sign, bound }) => (bound === undefined ? [] : [{ sign, bound }]));
  const where: Sql = {
    text: `key = ? ${bounds.map(({ sign }) => `AND value ${sign} ?`).join(' ')}`,
    values: [key, ...bounds.map(({ bound }) => bound)],
  };
  const size = once(() => sizeOf(entries, where));
  return {
    size,
    walks: () => [{ ...where, table: entries, isOnce: false }],
    probe: (driving) => (isForEach(driving, size(), MOST_COUNTED) ? has(`${byId} AS e`, where) : among(entries, where)),
  };
}

/** A walk through texts reads this many rows in the time of one probe. */
const TEXTS_PER_PROBE = 4;

function contains(source: Source, key: number, text: string): Condition {
  const { file, names } = source;
  const { texts, text_counts: counts } = names;
  const wanted = searchable(text);
  if (wanted === null) return NOTHING;
  const rare = rareAmong(file, names, key, wanted);
  if (rare !== null) return ofIds(source, key, rare);
  const where: Sql = { text: 'key = ? AND instr(folded, ?) > 0', values: [key, wanted] };
  return {
    size: once(() => number(file, { text: `SELECT n FROM ${counts} WHERE key = ?`, values: [key] }) / TEXTS_PER_PROBE),
    walks: () => [{ ...where, table: texts, isOnce: false }],
    probe: () => has(`${texts} AS e`, where),
  };
}

/** Of documents with a text under the key, by their ids. */
function ofIds({ names: { texts } }: Source, key: number, ids: readonly Value[]): Condition {
  if (ids.length === 0) return NOTHING;
  const wanted = list(ids);
  const where: Sql = { text: `key = ? AND id IN ${wanted.text}`, values: [key, ...wanted.values] };
  return {
    size: () => ids.length,
    total: ids.length,
    walks: () => [{ ...where, table: texts, isOnce: false }],
    probe: () => ({ text: `+d.id IN ${wanted.text}`, values: wanted.values }),
  };
}

function empty(source: Source, key: number): Condition {
  const texts = has(`${source.names.texts} AS e`, { text: 'key = ?', values: [key] });
  return none(unwalked(joined([filled(source, key).probe(1), texts], 'OR')));
}

/** Of a value. */
export function filled({ names }: Source, key: number): Condition {
  return unwalked(has(`${names.entries_by_id} AS e`, { text: 'key = ?', values: [key] }));
}

/** Most documents have something under most keys that are asked about. */
function unwalked(probe: Sql): Condition {
  return { size: () => Infinity, walks: () => [], probe: () => probe };
}
