/** The tables of the read models. */
import { type Database } from '../connection.js';

/** Raise it when the tables below change: each shape has a file of its own, which is filled from the log. */
export const SCHEMA = 6;

type Table = 'documents' | 'gone' | 'entries' | 'entries_by_id' | 'texts' | 'grams' | 'text_counts';

export type Tables = Readonly<Record<Table, string>>;

/** Names of the tables of one read model in one generation. Keys are numbered in the table `keys`. */
export function tables(generation: number, model: string): Tables {
  if (!/^[a-z][a-z-]*$/.test(model)) throw new Error(`'${model}' is no name for a read model`);
  const suffix = `${generation}_${model.replaceAll('-', '_')}`;
  return {
    documents: `documents_${suffix}`,
    gone: `gone_${suffix}`,
    entries: `entries_${suffix}`,
    entries_by_id: `entries_by_id_${suffix}`,
    texts: `texts_${suffix}`,
    grams: `grams_${suffix}`,
    text_counts: `text_counts_${suffix}`,
  };
}

export function createSchema(database: Database): void {
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
export function schemaOf(names: Tables): string {
  return `
    CREATE TABLE ${names.documents} (id ANY NOT NULL PRIMARY KEY, body TEXT NOT NULL, position TEXT NOT NULL) STRICT;
    CREATE INDEX ${names.documents}_position ON ${names.documents} (position);
    CREATE TABLE ${names.gone} (id ANY NOT NULL PRIMARY KEY, position TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX ${names.gone}_position ON ${names.gone} (position);
    CREATE TABLE ${names.entries} (
      key INTEGER NOT NULL, value ANY NOT NULL, id ANY NOT NULL, PRIMARY KEY (key, value, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ${names.entries_by_id} (
      id ANY NOT NULL, key INTEGER NOT NULL, value ANY NOT NULL, PRIMARY KEY (id, key, value)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ${names.texts} (
      key INTEGER NOT NULL, id ANY NOT NULL, nth INTEGER NOT NULL, folded TEXT NOT NULL, grams INTEGER NOT NULL,
      PRIMARY KEY (key, id, nth)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ${names.texts}_without_grams ON ${names.texts} (key) WHERE grams = 0;
    CREATE VIRTUAL TABLE ${names.grams} USING fts5(
      folded, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
    );
    CREATE TABLE ${names.text_counts} (key INTEGER NOT NULL PRIMARY KEY, n INTEGER NOT NULL) STRICT;
  `;
}
