import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../shared/make-directory.js';
import { type Database, kindOf, openDatabase, openingError } from './connection.js';

export interface Lock {
  readonly release: () => void;
}

const SQLITE_BUSY = 5;
const REMEDY = 'remove the file, which holds nothing';

/**
 * One service per data directory: a second one would give the same position to two events. What holds is a lock of the
 * kernel on `lock.sqlite`, which ends with its process however that ends; `holder.json` only says whose it is. Makes the
 * directory when there is none.
 */
export function lockDataDirectory(directory: string): Lock {
  makeDirectory(directory, 0o700);
  const holder = join(directory, 'holder.json');
  const file = join(directory, 'lock.sqlite');
  const database = opened(file);
  try {
    database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
    writeFileSync(holder, JSON.stringify({ pid: process.pid, since: new Date().toISOString() }));
  } catch (error) {
    database.close();
    if (kindOf(error) !== SQLITE_BUSY) throw openingError(file, REMEDY, error);
    throw new Error(`${directory} is in use by ${describeHolder(holder)}`, { cause: error });
  }
  return { release: releaseOnce(database, holder) };
}

function opened(file: string): Database {
  try {
    return openDatabase(file);
  } catch (error) {
    throw openingError(file, REMEDY, error);
  }
}

/** Which process has the directory, in words; null if none has. A crashed one may have left `holder.json`. */
export function holderOf(directory: string): string | null {
  const [holder, file] = [join(directory, 'holder.json'), join(directory, 'lock.sqlite')];
  if (!existsSync(file)) return null;
  const database = openDatabase(file, { readOnly: true });
  try {
    database.exec('PRAGMA busy_timeout = 0');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return null;
  } catch (error) {
    if (kindOf(error) !== SQLITE_BUSY) throw error;
    return describeHolder(holder);
  } finally {
    database.close();
  }
}

/** Whether another process has the directory. */
export function isLocked(directory: string): boolean {
  try {
    lockDataDirectory(directory).release();
    return false;
  } catch {
    return true;
  }
}

function releaseOnce(database: Database, holder: string): () => void {
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    try {
      // First, because afterwards the file may be that of the next holder.
      rmSync(holder, { force: true });
    } catch {
      // As after a crash: in a directory that has become read-only.
    } finally {
      database.close();
    }
  };
}

function describeHolder(path: string): string {
  const { pid, since } = holderIn(path);
  if (typeof pid !== 'number') return 'another process';
  return typeof since === 'string' ? `process ${pid} (since ${since})` : `process ${pid}`;
}

function holderIn(path: string): { readonly pid?: unknown; readonly since?: unknown } {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof holder === 'object' && holder !== null ? holder : {};
  } catch {
    // Only the message depends on it: the holder may just be writing it, or removing it.
    return {};
  }
}
