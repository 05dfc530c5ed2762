import { type Entry, type IndexChanges } from './diff.js';
import { type ReadModelFile } from '../file.js';
import { type Tables } from '../schema.js';
import { hasGrams, ROW } from './grams.js';
import { type SqlValue } from '../../connection.js';
import { type Value } from '../../../shared/well-formed-text.js';

/** Rows in the order of their table fall into few of its pages. Each step writes some of them. */
export function* indexWrites(file: ReadModelFile, names: Tables, changes: IndexChanges): Generator<void, void, void> {
  yield* entryWrites(file, names, changes);
  yield* textWrites(file, names, changes);
  yield* gramWrites(file, names, changes);
}

function* entryWrites(
  file: ReadModelFile,
  names: Tables,
  { entriesRemoved, entriesAdded }: IndexChanges,
): Generator<void, void, void> {
  const remove = file.sql(`DELETE FROM ${names.entries_by_id} WHERE id = ? AND key = ? AND value = ?`);
  for (const { id, key, value } of entriesRemoved.sort(byPlace)) remove.run(id, key, value);
  const rows = entriesAdded.sort(byPlace).flatMap(({ id, key, value }) => [id, key, value]);
  yield* insertEntries(file, names, rows);
}

const byPlace = (a: Entry, b: Entry): number => a.key - b.key || byValue(a.value, b.value) || byValue(a.id, b.id);

/** `rows`: of each entry the document, the key and the value. */
export const insertEntries = (file: ReadModelFile, { entries_by_id: byId }: Tables, rows: SqlValue[]) =>
  insertions(file, { insert: `INSERT INTO ${byId} VALUES`, columns: 3 }, rows);

type RowOfText = IndexChanges['textsRemoved'][number];

/** Without their trigrams. */
export function* textWrites(file: ReadModelFile, names: Tables, changes: IndexChanges): Generator<void, void, void> {
  const { textsWritten, textsRemoved, textCounts } = changes;
  const byText = (a: RowOfText, b: RowOfText): number => a.key - b.key || byValue(a.id, b.id) || a.nth - b.nth;
  const remove = file.sql(`DELETE FROM ${names.texts} WHERE key = ? AND id = ? AND nth = ?`);
  for (const { key, id, nth } of textsRemoved.sort(byText)) remove.run(key, id, nth);
  const rows: SqlValue[] = [];
  for (const text of textsWritten.sort(byText)) {
    rows.push(text.key, text.id, text.nth, text.folded, Number(hasGrams(text)));
  }
  yield* insertions(file, { insert: `INSERT OR REPLACE INTO ${names.texts} VALUES`, columns: 5 }, rows);

  const add = file.sql(`INSERT INTO ${names.text_counts} VALUES (?, ?) ${ADDING}`);
  for (const [key, n] of textCounts) if (n !== 0) add.run(key, n);
}

/** In the order of the texts. What there was before may have been short. */
function* gramWrites(
  file: ReadModelFile,
  { grams }: Tables,
  { textsWritten, textsRemoved }: IndexChanges,
): Generator<void, void, void> {
  const remove = file.sql(`DELETE FROM ${grams} WHERE rowid = ${ROW}`);
  const write = file.sql(`INSERT OR REPLACE INTO ${grams} (rowid, folded) VALUES (${ROW}, ?)`);
  for (const text of textsRemoved.filter(hasGrams)) remove.run(text.key, text.id);
  for (const text of textsWritten) {
    if (hasGrams(text)) write.run(text.key, text.id, text.folded);
    else if (text.before !== undefined && hasGrams({ ...text, folded: text.before })) remove.run(text.key, text.id);
    yield;
  }
}

const ADDING = 'ON CONFLICT DO UPDATE SET n = n + excluded.n';

interface Insertion {
  readonly insert: string;
  readonly columns: number;
}

/** The last rows by themselves. */
const ROWS_AT_ONCE = [256, 16, 1];

/** One statement writes many rows: each call into the engine costs as much as a row. `values` are those of all rows. */
function* insertions(
  file: ReadModelFile,
  { insert, columns }: Insertion,
  values: SqlValue[],
): Generator<void, void, void> {
  const row = `(${Array(columns).fill('?').join(', ')})`;
  let at = 0;
  for (const rows of ROWS_AT_ONCE) {
    const width = columns * rows;
    if (at + width > values.length) continue;
    const statement = file.sql(`${insert} ${Array(rows).fill(row).join(', ')}`);
    for (; at + width <= values.length; at += width) {
      statement.run(...values.slice(at, at + width));
      yield;
    }
  }
}

/** SQLite's order, as far as it matters for locality: numbers before texts. */
function byValue(a: Value, b: Value): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1;
  if (typeof b === 'number') return 1;
  return a < b ? -1 : Number(a > b);
}
