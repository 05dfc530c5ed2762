import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { cacheSize } from '../../../core/bounds.js';
import { messageOf } from '../../../core/concurrency/retry.js';
import { type Document } from '../../../core/read-models.js';
import { openDatabase, openingError, rollBack, type Database, type Statement } from '../connection.js';
import { exactStatement } from '../exact-statement.js';
import { reportedStatement, reportingDamage, type Reporting } from '../reported-damage.js';
import { counted, type Changes } from './changes.js';
import { createSchema, schemaOf, tables } from './schema.js';
import { syncAhead, syncFile } from './sync-ahead.js';
import { emptyWal, walBound } from './wal-bound.js';

/** The file of the read models as one thread sees it; `sql` prepares each statement once. */
export interface ReadModelFile {
  sql(text: string): Statement;
  /** `isSeen`: whether it may change what readers see. */
  transaction<T>(mode: 'IMMEDIATE' | 'DEFERRED', work: () => T, isSeen?: boolean): T;
  createTables(generation: number, model: string): void;
  /** A document from its body. */
  readonly parse: (body: string) => Document;
  /** What the write-ahead log adds to the file when it is copied back, in bytes. */
  growth(): number;
  /** Copies the write-ahead log back, and gives its room back. */
  emptyLog(): void;
  /** With an empty file beside it, which is removed at the end. One at a time. */
  withScratch(work: () => Promise<void>): Promise<void>;
  close(): void;
}

const FILE = 'read-models.sqlite';
const PAGE_SIZE = 8192;
/** What an operator does about damage, for messages that name the directory. */
const REMEDY = 'stop the service and remove this directory: the next start fills them from the log';

/** For an error of SQLite, or of a body that is no JSON. */
export class DamagedReadModels extends Error {
  override readonly name = 'DamagedReadModels';

  constructor(directory: string, cause: unknown) {
    super(`The read models in ${directory} are damaged (${messageOf(cause)}); ${REMEDY}`, { cause });
  }
}

/** The schema of the tables beside. */
export const SCRATCH = 'scratch';

/** `changes`: where transactions that readers may see are counted. */
export function openReadModelFile(directory: string, access: 'read' | 'write', changes?: Changes): ReadModelFile {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, FILE);
  try {
    const database = openDatabase(path);
    const file = prepared(database, directory, access, changes);
    return access === 'read' ? file : withLogCare(file, database, `${path}-wal`);
  } catch (error) {
    throw openingError(`The read models in ${directory}`, REMEDY, error);
  }
}

function prepared(database: Database, directory: string, access: 'read' | 'write', changes?: Changes): ReadModelFile {
  // Of a process that was killed.
  if (access === 'write') rmSync(scratchIn(directory), { force: true });
  try {
    // Most artifacts would have a smaller page for themselves, and leave the most of another empty.
    database.exec(`PRAGMA page_size = ${PAGE_SIZE}`);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${cacheSize(65_536)}`);
    // A commit writes to pages all over the index: the same ones are copied back less often with a longer log.
    database.exec('PRAGMA wal_autocheckpoint = 4000');
    const file = withStatements(database, directory, changes);
    file.transaction('IMMEDIATE', () => {
      createSchema(database);
    });
    if (access === 'read') database.exec('PRAGMA query_only = 1');
    // Savepoints keep the pages before a change in memory, not in a file. All sorts of the writer are bounded.
    else database.exec('PRAGMA temp_store = MEMORY');
    return file;
  } catch (error) {
    database.close();
    throw error;
  }
}

const scratchIn = (directory: string): string => join(directory, `${SCRATCH}.sqlite`);

function withLogCare(file: ReadModelFile, database: Database, log: string): ReadModelFile {
  const { committed, close } = syncAhead(() => syncFile(log));
  const bound = walBound(log, () => {
    emptyWal(database);
  });
  return {
    ...file,
    transaction: (mode, work, isSeen) => {
      const result = file.transaction(mode, work, isSeen);
      committed();
      bound();
      return result;
    },
    close: () => {
      close();
      file.close();
    },
  };
}

/** In characters of their texts: a prepared statement takes some forty times as much memory. */
const KEPT_STATEMENTS = 1_048_576;
const LONGEST_KEPT = 16_384;

function statementsOf(
  database: Database,
  reported: Reporting,
): Pick<ReadModelFile, 'sql'> & { readonly clear: () => void } {
  const prepared = new LRUCache<string, Statement>({
    maxSize: KEPT_STATEMENTS,
    maxEntrySize: LONGEST_KEPT,
    sizeCalculation: (_, text) => text.length,
  });
  /** While its rows are read, nothing else holds a statement that is not kept. */
  let last: Statement | undefined;
  return {
    sql: (text) => {
      const known = prepared.get(text);
      if (known !== undefined) return known;
      const statement = reported(() => exactStatement(database, text));
      last = reportedStatement(reported, statement);
      prepared.set(text, last);
      return last;
    },
    clear: () => {
      prepared.clear();
    },
  };
}

function withStatements(database: Database, directory: string, changes?: Changes): ReadModelFile {
  const scratch = scratchIn(directory);
  const reported = reportingDamage((cause) => new DamagedReadModels(directory, cause));
  const { sql, clear } = statementsOf(database, reported);
  const transaction: ReadModelFile['transaction'] = (mode, work) => {
    sql(`BEGIN ${mode}`).run();
    try {
      const result = work();
      sql('COMMIT').run();
      return result;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  };
  return {
    sql,
    transaction: (mode, work, isSeen = true) =>
      changes !== undefined && isSeen ? counted(changes, () => transaction(mode, work)) : transaction(mode, work),
    createTables: (generation, model) => {
      reported(() => {
        database.exec(schemaOf(tables(generation, model)));
      });
    },
    parse: (body) => reported(() => JSON.parse(body) as Document),
    growth: () => {
      const pages = sql('PRAGMA page_count').get()?.['page_count'] as number;
      return Math.max(0, pages * PAGE_SIZE - statSync(join(directory, FILE)).size);
    },
    emptyLog: () => {
      emptyWal(database);
    },
    withScratch: async (work) => {
      rmSync(scratch, { force: true });
      sql(`ATTACH ? AS ${SCRATCH}`).run(scratch);
      try {
        // What is in it is of no use after a crash.
        database.exec(`PRAGMA ${SCRATCH}.journal_mode = MEMORY; PRAGMA ${SCRATCH}.synchronous = OFF`);
        await work();
      } finally {
        sql(`DETACH ${SCRATCH}`).run();
        rmSync(scratch, { force: true });
      }
    },
    close: () => {
      clear();
      database.close();
    },
  };
}
