/** SQLite alone: the rows of the read models, copied into a new file in their order by statements without a program. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../src/stores/sqlite/connection.js';
import { schemaOf, tables, type Tables } from '../../src/stores/sqlite/read-models/schema.js';

export interface CopiedInput {
  /** Of the service. */
  readonly directory: string;
  /** Of the file with the read models. */
  readonly file: string;
}

export interface Copied {
  readonly seconds: number;
}

export function copiedRows({ directory, file }: CopiedInput): Promise<Copied> {
  const scratch = mkdtempSync(join(directory, 'copy-'));
  const database = openDatabase(join(scratch, 'copy.sqlite'));
  try {
    database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec('PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000');
    database.prepare('ATTACH ? AS filled').run(file);
    const served = database
      .prepare("SELECT m.run, m.model FROM filled.models m JOIN filled.runs r USING (run) WHERE r.state = 'served'")
      .all();
    const began = performance.now();
    for (const { run, model } of served) copy(database, tables(Number(run), String(model)));
    return Promise.resolve({ seconds: (performance.now() - began) / 1000 });
  } finally {
    database.close();
    rmSync(scratch, { recursive: true });
  }
}

function copy(database: Database, names: Tables): void {
  database.exec(schemaOf(names));
  const { grams, texts, documents, gone, entries, entries_by_id: byId, text_counts: counts } = names;
  const inOrder = [
    [documents, 'id'],
    [gone, 'id'],
    [entries, 'key, value, id'],
    [byId, 'id, key, value'],
    [texts, 'key, id, nth'],
    [counts, 'key'],
  ] as const;
  for (const [table, order] of inOrder) {
    database.exec(`INSERT INTO main.${table} SELECT * FROM filled.${table} ORDER BY ${order}`);
  }
  const folded = `SELECT row_number() OVER (), folded FROM filled.${texts} WHERE grams = 1`;
  database.exec(`INSERT INTO ${grams} (rowid, folded) ${folded}`);
}
