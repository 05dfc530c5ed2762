/** Large tables of generations that are gone: removed in steps, between which others have their turn. */
import { type ReadModelFile } from './file.js';
import { endMirroring } from './index/mirror.js';
import { type Tables } from './schema.js';
import { type Stretches } from './shared-transactions.js';

const REMOVED = 'removed';

/** A smaller table is dropped at once. SQLite visits each page of what it drops. */
const LARGE_ROWS = 1000;
const STEP_ROWS = 1000;

/** Nobody reads the tables under these names any longer. Trigrams are dropped at once: their tables are not ours to empty. */
export function setAside(file: ReadModelFile, { grams, ...names }: Tables): void {
  endMirroring(file, names);
  for (const table of Object.values(names)) {
    const isLarge = file.sql(`SELECT 1 FROM ${table} LIMIT 1 OFFSET ${LARGE_ROWS}`).get() !== undefined;
    file.sql(isLarge ? `ALTER TABLE ${table} RENAME TO ${REMOVED}_${table}` : `DROP TABLE ${table}`).run();
  }
  file.sql(`DROP TABLE ${grams}`).run();
}

/** Begins unless it is under way. What an error leaves is removed the next time. */
export function sweeper(file: ReadModelFile, inStretches: Stretches): () => void {
  let isUnderWay = false;
  return () => {
    if (isUnderWay) return;
    isUnderWay = true;
    inStretches(sweep(file), 'unserved')
      .catch(() => undefined)
      .finally(() => {
        isUnderWay = false;
      });
  };
}

function* sweep(file: ReadModelFile): Generator<void, void, void> {
  for (let table = nextRemoved(file); table !== undefined; table = nextRemoved(file)) {
    yield* emptied(file, table);
    file.sql(`DROP TABLE ${table}`).run();
    yield;
  }
}

function nextRemoved(file: ReadModelFile): string | undefined {
  const row = file
    .sql("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE ? LIMIT 1")
    .get(`${REMOVED}_%`);
  return row && String(row['name']);
}

function* emptied(file: ReadModelFile, table: string): Generator<void, void, void> {
  const rows = file.sql('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').all(table);
  const key = rows.map(({ name }) => String(name));
  const next = file.sql(`SELECT ${key.join(', ')} FROM ${table} ORDER BY ${key.join(', ')} LIMIT 1 OFFSET ?`);
  const remove = file.sql(`DELETE FROM ${table} WHERE (${key.join(', ')}) < (${key.map(() => '?').join(', ')})`);
  for (let place = next.get(STEP_ROWS); place !== undefined; place = next.get(STEP_ROWS)) {
    remove.run(...Object.values(place));
    yield;
  }
}
