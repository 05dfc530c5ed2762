/** Opens SQLite with `node:sqlite` from Node 24 on, and with the pinned package of the same API on older ones. */
import { messageOf } from '../../core/concurrency/retry.js';

export type SqlValue = number | bigint | string | null | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** The part of the two engines' common API that the adapters use. */
export interface Statement {
  run(...values: SqlValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
  iterate(...values: SqlValue[]): Iterable<SqlRow>;
  /** Integers are read as bigint from then on. */
  setReadBigInts(enabled: boolean): void;
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface OpenOptions {
  readonly readOnly?: boolean;
}

interface OwnStatement extends Statement {
  /** Of its rows; none if it reads nothing. */
  columns(): readonly unknown[];
}

interface OwnDatabase extends Database {
  prepare(sql: string): OwnStatement;
}

interface Engine {
  readonly DatabaseSync: new (path: string, options?: { readOnly?: boolean }) => OwnDatabase;
}

/**
 * Handles that must stay open. The package closes a connection when its handle is collected, even while statements of
 * it are in use, so nothing but `close` may let go of one.
 */
const open = new Set<Database>();

const engine = await loadEngine();

/** Where Node 22 has the module, it warns on standard error that it is experimental. */
async function loadEngine(): Promise<Engine> {
  const own: unknown = parseInt(process.versions.node) < 24 ? undefined : process.getBuiltinModule('node:sqlite');
  if (isEngine(own)) return own;
  return import('@photostructure/sqlite');
}

function isEngine(candidate: unknown): candidate is Engine {
  return typeof candidate === 'object' && candidate !== null && 'DatabaseSync' in candidate;
}

export function openDatabase(path: string, { readOnly = false }: OpenOptions = {}): Database {
  const database = new engine.DatabaseSync(path, { readOnly });
  open.add(database);
  database.exec('PRAGMA busy_timeout = 5000');
  return {
    exec: (sql) => {
      database.exec(sql);
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      // From Node 26 on, `run` throws if the last row that the connection has inserted has an id that no number is.
      if (statement.columns().length === 0) statement.setReadBigInts(true);
      return statement;
    },
    close: () => {
      if (open.delete(database)) database.close();
    },
  };
}

/** After some errors (a full disk) SQLite has rolled back by itself: the first error is the one to tell. */
export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    return;
  }
}

/** What SQLite does at once, and what it throws, as a promise. */
export function promised<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

const SQLITE_ERROR = 1;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

/** Whether SQLite found the file itself damaged. Errors of the package while it reads several rows have no code. */
export function isDamage(error: unknown): boolean {
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(kindOf(error)) || DAMAGED.includes(messageOf(error));
}

export const SQLITE_FULL = 13;
const SQLITE_IOERR_WRITE = 778;

/** Whether SQLite found no room for a page, or could not write one: a disk that is full, or beyond a quota, or broken. */
export function isUnwritten(error: unknown): boolean {
  return kindOf(error) === SQLITE_FULL || sqliteCode(error) === SQLITE_IOERR_WRITE;
}

const DAMAGED: readonly string[] = ['database disk image is malformed', 'file is not a database'];

/** For an error of SQLite at the opening, which names neither the file nor a remedy. `remedy` is that of damage. */
export function openingError(file: string, remedy: string, cause: unknown): unknown {
  if (sqliteCode(cause) === undefined || !(cause instanceof Error)) return cause;
  return new Error(`${file} cannot be opened (${cause.message})${adviceOn(kindOf(cause), remedy)}`, { cause });
}

/** A missing table or column is damage, too: no release wrote such a file. */
function adviceOn(kind: number, remedy: string): string {
  if ([SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(kind)) return `; ${remedy}`;
  if ([SQLITE_READONLY, SQLITE_CANTOPEN].includes(kind))
    return '; the service must be able to write file and directory';
  return '';
}

/** SQLite's primary result code; 0 for an error that is not SQLite's. */
export function kindOf(error: unknown): number {
  return (sqliteCode(error) ?? 0) & 0xff;
}

/** SQLite's extended result code, where the error has one. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}
