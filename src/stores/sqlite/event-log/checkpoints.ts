/**
 * Moves what the write-ahead log holds into the file. After a sync that failed, the system may forget what was not on the
 * disk, and never writes it again, although all processes still read it. So nothing may be written behind that.
 */
import { messageOf } from '../../../core/concurrency/retry.js';
import { type Database, isUnwritten } from '../connection.js';
import { logPath, openLogForWriting } from './file.js';
import { type PreparedAppend } from './writer.js';

export interface Checkpoints {
  /**
   * Must be called before each transaction. False while another process reads, so that what earlier processes have left
   * cannot be moved. Throws if the disk does not take it.
   */
  readonly begin: () => boolean;
  /** Must be called after each transaction. Throws if a sync has failed: the next process then begins with all of it. */
  readonly committed: (appends: readonly PreparedAppend[]) => void;
}

export const IN_USE =
  'Another process reads the event log, and has to end before it can be written: nothing was stored';

/** Some 16 MB between checkpoints, by an estimate. Each keeps the next appends waiting for some milliseconds. */
const PAGES = 4000;
/** While readers use what is older, only a part can be moved. */
const PAGES_UNTIL_AGAIN = 200;
const PAGE_BYTES = 4096;
/** Of each transaction: those that others had begun to fill. */
const PAGES_EACH = 2;

export function checkpoints(database: Database, path: string): Checkpoints {
  let hasBegun = false;
  let pages = 0;
  return {
    begin: () => (hasBegun ||= database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0),
    committed: (appends) => {
      pages += appends.reduce((sum, append) => sum + pagesOf(append), PAGES_EACH);
      if (pages >= PAGES) pages = isMoved(database, path) ? 0 : PAGES - PAGES_UNTIL_AGAIN;
    },
  };
}

/** What earlier processes have left, of a log to which nothing is appended meanwhile. Throws if it cannot be moved. */
export function moveIntoFile(directory: string): void {
  const database = openLogForWriting(directory);
  try {
    if (!checkpoints(database, logPath(directory)).begin()) throw new Error(IN_USE);
  } finally {
    database.close();
  }
}

/** False if only a part was moved, or the disk took no more. */
function isMoved(database: Database, path: string): boolean {
  try {
    const { log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
    return log === checkpointed;
  } catch (error) {
    if (isUnwritten(error)) return false;
    const message = `${path} could not be synced: ${messageOf(error)}; start the service again once the disk is sound`;
    throw new Error(message, { cause: error });
  }
}

/** Of each event, one of the index, and what it fills of the table. */
function pagesOf({ events, metadata }: PreparedAppend): number {
  const characters = events.reduce((sum, { data }) => sum + data.length + metadata.length, 0);
  return events.length + characters / PAGE_BYTES;
}
