import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, type Database, type Statement } from '../connection.js';

/** Raise it when the tables below change: each shape has a file of its own, which is filled from the log. */
export const SCHEMA = 4;

type Table = 'documents' | 'gone' | 'entries' | 'texts' | 'grams' | 'counts' | 'text_counts';

export type Tables = Readonly<Record<Table, string>>;

/** The file of the read models as one thread sees it; `sql` prepares each statement once. */
export interface ReadModelFile {
  sql(text: string): Statement;
  transaction<T>(mode: 'IMMEDIATE' | 'DEFERRED', work: () => T): T;
  createTables(generation: number, model: string): void;
  dropTables(generation: number, model: string): void;
  close(): void;
}

const FILE = 'read-models.sqlite';

export function openReadModelFile(directory: string, access: 'read' | 'write'): ReadModelFile {
  mkdirSync(directory, { recursive: true });
  const database = openDatabase(join(directory, FILE));
  // Most artifacts would have a smaller page for themselves, and leave the most of another empty.
  database.exec('PRAGMA page_size = 8192');
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536');
  // A commit writes to pages all over the index: the same ones are copied back less often with a longer log.
  database.exec('PRAGMA wal_autocheckpoint = 4000');
  const file = withStatements(database);
  file.transaction('IMMEDIATE', () => {
    createSchema(database);
  });
  if (access === 'read') database.exec('PRAGMA query_only = 1');
  return file;
}

/** Names of the tables of one read model in one generation. Keys are numbered in the table `keys`. */
export function tables(generation: number, model: string): Tables {
  if (!/^[a-z][a-z-]*$/.test(model)) throw new Error(`'${model}' is no name for a read model`);
  const suffix = `${generation}_${model.replaceAll('-', '_')}`;
  return {
    documents: `documents_${suffix}`,
    gone: `gone_${suffix}`,
    entries: `entries_${suffix}`,
    texts: `texts_${suffix}`,
    grams: `grams_${suffix}`,
    counts: `counts_${suffix}`,
    text_counts: `text_counts_${suffix}`,
  };
}

/** The index of entries by the document. */
export const byId = (entries: string): string => `${entries}_by_id`;

/** More shapes of queries than this are not worth keeping prepared. */
const MOST_STATEMENTS = 1000;

function withStatements(database: Database): ReadModelFile {
  const prepared = new Map<string, Statement>();
  const sql = (text: string): Statement => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    if (prepared.size >= MOST_STATEMENTS) prepared.clear();
    const statement = database.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
  return {
    sql,
    transaction: (mode, work) => {
      sql(`BEGIN ${mode}`).run();
      try {
        const result = work();
        sql('COMMIT').run();
        return result;
      } catch (error) {
        rollBack(database);
        throw error;
      }
    },
    createTables: (generation, model) => {
      database.exec(schemaOf(tables(generation, model)));
    },
    dropTables: (generation, model) => {
      prepared.clear();
      for (const table of Object.values(tables(generation, model))) database.exec(`DROP TABLE IF EXISTS ${table}`);
    },
    close: () => {
      prepared.clear();
      database.close();
    },
  };
}

/** After some errors (a full disk) SQLite has rolled back by itself: the first error is the one to tell. */
function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    return;
  }
}

function createSchema(database: Database): void {
  if (database.prepare('PRAGMA user_version').get()?.['user_version'] === SCHEMA) return;
  database.exec(`
    CREATE TABLE runs (
      run INTEGER PRIMARY KEY AUTOINCREMENT,
      projection TEXT NOT NULL,
      version INTEGER NOT NULL,
      position TEXT,
      event TEXT,
      state TEXT NOT NULL CHECK (state IN ('filling', 'served'))
    ) STRICT;
    CREATE TABLE models (
      run INTEGER NOT NULL,
      model TEXT NOT NULL,
      documents INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (run, model)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE keys (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE log (first_event TEXT NOT NULL) STRICT;
    ${MARKS};
    PRAGMA user_version = ${SCHEMA};
  `);
}

/** By generation: streams that it does not follow any longer. */
const MARKS = `
  CREATE TABLE marks (
    run INTEGER NOT NULL,
    stream TEXT NOT NULL,
    type TEXT NOT NULL,
    schema REAL,
    revision INTEGER NOT NULL,
    position TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (run, stream)
  ) STRICT, WITHOUT ROWID`;

/**
 * Columns of type ANY keep numbers and strings apart. The documents are a rowid table, so that the index on their ids
 * is narrow; everything that a query walks is ordered by id within its key (and value). What is asked of one document
 * is beside each other by its id. The texts of which there are trigrams are folded already.
 */
function schemaOf(names: Tables): string {
  return `
    CREATE TABLE ${names.documents} (id ANY NOT NULL PRIMARY KEY, body TEXT NOT NULL, position TEXT NOT NULL) STRICT;
    CREATE INDEX ${names.documents}_position ON ${names.documents} (position);
    CREATE TABLE ${names.gone} (id ANY NOT NULL PRIMARY KEY, position TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX ${names.gone}_position ON ${names.gone} (position);
    CREATE TABLE ${names.entries} (
      key INTEGER NOT NULL, value ANY NOT NULL, id ANY NOT NULL, PRIMARY KEY (key, value, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ${byId(names.entries)} ON ${names.entries} (id, key, value);
    CREATE TABLE ${names.texts} (
      key INTEGER NOT NULL, id ANY NOT NULL, nth INTEGER NOT NULL, folded TEXT NOT NULL, grams INTEGER NOT NULL,
      PRIMARY KEY (key, id, nth)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ${names.texts}_without_grams ON ${names.texts} (key) WHERE grams = 0;
    CREATE VIRTUAL TABLE ${names.grams} USING fts5(
      folded, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
    );
    CREATE TABLE ${names.counts} (
      key INTEGER NOT NULL, value ANY NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (key, value)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ${names.text_counts} (key INTEGER NOT NULL PRIMARY KEY, n INTEGER NOT NULL) STRICT;
  `;
}
