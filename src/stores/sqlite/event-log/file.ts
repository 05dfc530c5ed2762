import { join } from 'node:path';
import { type Database, isDamage, openDatabase, openingError } from '../connection.js';

const SCHEMA = 1;

/**
 * Positions have no holes: rows are numbered one after the other by the only writer, and none is ever removed. The first
 * releases made no checksums, and their table has no column for them.
 */
const TABLE = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    checksum INTEGER,
    UNIQUE (stream, revision)
  ) STRICT`;

export const LOG_FILE = 'log.sqlite';
export const logPath = (directory: string): string => join(directory, LOG_FILE);

/** What an operator does about damage, for messages that name the file and the place. */
export const REMEDY = 'stop the service and check its disk; if the disk is sound, restore the file from a back-up';

/** For the one thread that writes. Makes the file when there is none. */
export function openLogForWriting(directory: string): Database {
  return opened(directory, false, (database) => {
    const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
    if (mode !== 'wal') throw new Error(`The file system of ${directory} does not let SQLite keep a write-ahead log`);
    // Set here, because one of the two engines syncs less in WAL mode by default. An acknowledged append must survive a
    // power cut. macOS keeps what is synced in the disk's own memory, unless it is asked for more.
    database.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = 1');
    // `checkpoints` makes them: those of SQLite keep their errors to themselves.
    database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864');
    if (schemaOf(database) < SCHEMA) {
      database.exec(`BEGIN IMMEDIATE; ${TABLE}; PRAGMA user_version = ${SCHEMA}; COMMIT`);
    }
    // SQLite adds an empty column at once, however many rows there are.
    if (!hasChecksums(database)) database.exec('ALTER TABLE events ADD COLUMN checksum INTEGER');
    // SQLite opens a read-only file as well, and only a write fails. Rolled back, the write needs no room on the disk.
    database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${SCHEMA}; ROLLBACK`);
  });
}

export function openLogForReading(directory: string): Database {
  return opened(directory, true, (database) => {
    database.exec('PRAGMA cache_size = -16000');
    if (!hasChecksums(database)) {
      database.exec('CREATE TEMP VIEW events AS SELECT *, NULL AS checksum FROM main.events');
    }
  });
}

function opened(directory: string, readOnly: boolean, prepare: (database: Database) => void): Database {
  const path = logPath(directory);
  try {
    return prepared(path, openDatabase(path, { readOnly }), prepare);
  } catch (error) {
    throw openingError(`The event log ${path}`, REMEDY, error);
  }
}

function prepared(path: string, database: Database, prepare: (database: Database) => void): Database {
  try {
    const schema = schemaOf(database);
    if (schema > SCHEMA) {
      throw new Error(
        `${path} was written by a newer version of this service (schema ${schema}, this one knows ${SCHEMA})`,
      );
    }
    prepare(database);
    // Fails without the table, or a column.
    database.prepare('SELECT position, stream, revision, id, type, data, metadata, checksum FROM events');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function hasChecksums(database: Database): boolean {
  const columns = database.prepare('PRAGMA table_info(events)').all();
  return columns.length === 0 || columns.some(({ name }) => name === 'checksum');
}

function schemaOf(database: Database): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/** SQLite's error about damage names neither the file nor a remedy. */
export function telling<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!isDamage(cause) || !(cause instanceof Error)) throw cause;
    throw new Error(`The event log ${path} is damaged (${cause.message}); ${REMEDY}`, { cause });
  }
}
