/** Empties a write-ahead log that has grown. SQLite begins it anew only when no query under way began before a commit. */
import { statSync } from 'node:fs';
import { type Database } from '../connection.js';

interface WalBounds {
  /** In bytes. */
  readonly largest: number;
  readonly everyCommits: number;
  /** After a try, whether it succeeded or not. */
  readonly againMs: number;
}

const BOUNDS: WalBounds = { largest: 512 * 1024 * 1024, everyCommits: 256, againMs: 10_000 };

/** Must be called after each commit, outside of transactions. */
export function walBound(log: string, empty: () => void, bounds = BOUNDS): () => void {
  let [commits, triedAt] = [0, -Infinity];
  return () => {
    commits += 1;
    if (commits % bounds.everyCommits !== 0 || performance.now() - triedAt < bounds.againMs) return;
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) < bounds.largest) return;
    triedAt = performance.now();
    empty();
  };
}

/**
 * Must stay well below the patience of `caughtUp`: no commit shows a write meanwhile. Nearly all has been copied already,
 * by the last commit.
 */
const PATIENCE_MS = 400;
const USUAL_PATIENCE_MS = 5000;

/** Waits for queries that began before. Those that begin meanwhile need nothing of the log. */
export function emptyWal(database: Database, patienceMs = PATIENCE_MS): void {
  database.exec(`PRAGMA busy_timeout = ${patienceMs}`);
  try {
    database.exec('PRAGMA main.wal_checkpoint(TRUNCATE)');
  } catch {
    // The next commit reports what is wrong with the disk.
  } finally {
    database.exec(`PRAGMA busy_timeout = ${USUAL_PATIENCE_MS}`);
  }
}
