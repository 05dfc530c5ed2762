import { type IndexChanges, type Value } from './sqlite-read-entries.js';
import { type ReadModelFile, type Tables } from './sqlite-read-file.js';
import { type SqlValue } from './sqlite.js';

/** Rows in the order of their table fall into few of its pages. */
export function writeIndex(file: ReadModelFile, names: Tables, changes: IndexChanges): void {
  const { added, removed, textsWritten, textsRemoved } = changes;
  const entry = (row: { key: number; value: Value; id: Value }): SqlValue[] => [row.key, row.value, row.id];
  const byEntry = (a: (typeof added)[number], b: (typeof added)[number]): number =>
    a.key - b.key || byValue(a.value, b.value) || byValue(a.id, b.id);
  const byText = (a: (typeof textsWritten)[number], b: (typeof textsWritten)[number]): number =>
    a.key - b.key || byValue(a.id, b.id) || a.nth - b.nth;

  const remove = file.sql(`DELETE FROM ${names.entries} WHERE key = ? AND value = ? AND id = ?`);
  for (const row of removed.sort(byEntry)) remove.run(...entry(row));
  insertAll(file, `INSERT INTO ${names.entries} VALUES`, '(?, ?, ?)', '', added.sort(byEntry).map(entry));

  const removeText = file.sql(`DELETE FROM ${names.texts} WHERE key = ? AND id = ? AND nth = ?`);
  for (const { key, id, nth } of textsRemoved.sort(byText)) removeText.run(key, id, nth);
  const texts = textsWritten.sort(byText).map(({ key, id, nth, folded }): SqlValue[] => [key, id, nth, folded]);
  insertAll(file, `INSERT OR REPLACE INTO ${names.texts} VALUES`, '(?, ?, ?, ?)', '', texts);

  writeCounts(file, names, changes);
}

function writeCounts(file: ReadModelFile, names: Tables, { counts, textCounts }: IndexChanges): void {
  const changed = [...counts.values()].filter(({ n }) => n !== 0);
  changed.sort((a, b) => a.key - b.key || byValue(a.value, b.value));
  const rows = changed.map(({ key, value, n }): SqlValue[] => [key, value, n]);
  const adding = 'ON CONFLICT DO UPDATE SET n = n + excluded.n';
  insertAll(file, `INSERT INTO ${names.counts} VALUES`, '(?, ?, ?)', adding, rows);
  const forget = file.sql(`DELETE FROM ${names.counts} WHERE key = ? AND value = ? AND n = 0`);
  for (const { key, value, n } of changed) if (n < 0) forget.run(key, value);

  const addTexts = file.sql(`INSERT INTO ${names.text_counts} VALUES (?, ?) ${adding}`);
  for (const [key, n] of textCounts) if (n !== 0) addTexts.run(key, n);
}

const ROWS_AT_ONCE = 32;

/** One statement writes many rows: each call into the engine costs as much as a row. */
function insertAll(
  file: ReadModelFile,
  insert: string,
  row: string,
  suffix: string,
  rows: readonly SqlValue[][],
): void {
  const full = rows.length - (rows.length % ROWS_AT_ONCE);
  const many = file.sql(`${insert} ${Array(ROWS_AT_ONCE).fill(row).join(', ')} ${suffix}`);
  const one = file.sql(`${insert} ${row} ${suffix}`);
  for (let at = 0; at < full; at += ROWS_AT_ONCE) many.run(...rows.slice(at, at + ROWS_AT_ONCE).flat());
  for (const values of rows.slice(full)) one.run(...values);
}

/** SQLite's order, as far as it matters for locality: numbers before texts. */
function byValue(a: Value, b: Value): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1;
  if (typeof b === 'number') return 1;
  return a < b ? -1 : Number(a > b);
}
