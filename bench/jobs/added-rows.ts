/** SQLite alone: the rows of the read models that new artifacts have, added by statements without a program. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../src/stores/sqlite/connection.js';
import { ROW } from '../../src/stores/sqlite/read-models/index/grams.js';
import { tables } from '../../src/stores/sqlite/read-models/schema.js';

export interface AddedInput {
  /** Of the service, which is stopped: a copy of the read models is made there. */
  readonly directory: string;
  /** Of the file with the read models. */
  readonly file: string;
  readonly seconds: number;
  /** Artifacts per transaction. */
  readonly group: number;
}

export interface Added {
  readonly perSecond: number;
}

/** Each new artifact has the rows of one of these, which are the last ones. */
const MODELS = 500;

export function addedRows({ directory, file, seconds, group }: AddedInput): Promise<Added> {
  const scratch = mkdtempSync(join(directory, 'rows-'));
  const copy = join(scratch, 'read-models.sqlite');
  copyFileSync(file, copy);
  const database = openDatabase(copy);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec('PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000');
    return Promise.resolve({ perSecond: addingTo(database, seconds, group) });
  } finally {
    database.close();
    rmSync(scratch, { recursive: true });
  }
}

function addingTo(database: Database, seconds: number, group: number): number {
  const served = "SELECT run FROM models JOIN runs USING (run) WHERE state = 'served' AND model = 'artifacts'";
  const add = artifactsOf(database, Number(database.prepare(served).get()?.['run']));
  const began = performance.now();
  let done = 0;
  for (; performance.now() - began < seconds * 1000; done += group) {
    database.exec('BEGIN IMMEDIATE');
    for (let nth = 0; nth < group; nth += 1) add(done + nth);
    database.exec('COMMIT');
  }
  return done / ((performance.now() - began) / 1000);
}

function artifactsOf(database: Database, run: number): (nth: number) => void {
  const { documents, entries_by_id: byId, texts, text_counts: counts, grams } = tables(run, 'artifacts');
  const last = database.prepare(`SELECT id FROM ${documents} ORDER BY id DESC LIMIT ${MODELS}`).all();
  const first = Number(last[0]?.['id']) + 1;
  const document = database.prepare(`INSERT INTO ${documents} SELECT ?, body, position FROM ${documents} WHERE id = ?`);
  // Triggers repeat each of these in the entries by value.
  const entries = database.prepare(`INSERT INTO ${byId} SELECT ?, key, value FROM ${byId} WHERE id = ?`);
  const keys = `SELECT key FROM ${counts}`;
  const ofOne = `FROM ${texts} WHERE key IN (${keys}) AND id = ?`;
  const text = database.prepare(`INSERT INTO ${texts} SELECT key, ?, nth, folded, grams ${ofOne}`);
  const short = database.prepare(`SELECT key, folded ${ofOne} AND grams = 1`);
  const gram = database.prepare(`INSERT INTO ${grams} (rowid, folded) VALUES (${ROW}, ?)`);
  return (nth) => {
    const [id, source] = [first + nth, Number(last[nth % last.length]?.['id'])];
    for (const statement of [document, entries, text]) statement.run(id, source);
    for (const { key, folded } of short.all(source)) gram.run(key ?? null, id, folded ?? null);
  };
}
