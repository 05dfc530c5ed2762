/** Syncs the write-ahead log between checkpoints, without blocking the thread: a checkpoint then syncs only what came last. */
import { open } from 'node:fs/promises';

export interface SyncAhead {
  /** Must be called after each commit. */
  readonly committed: () => void;
  readonly close: () => void;
}

/** Within this time, commits without a pause write a megabyte or two. */
const EVERY_MS = 20;

export function syncAhead(sync: () => Promise<void>, everyMs = EVERY_MS): SyncAhead {
  let timer: NodeJS.Timeout | undefined;
  let commits = 0;
  let isClosed = false;
  const syncOnce = async (): Promise<void> => {
    const seen = commits;
    // The checkpoint syncs again.
    await sync().catch(() => undefined);
    timer = undefined;
    if (commits > seen) schedule();
  };
  const schedule = (): void => {
    if (!isClosed) timer ??= setTimeout(() => void syncOnce(), everyMs).unref();
  };
  return {
    committed: () => {
      commits += 1;
      schedule();
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Opens the file once more. Closing a file ends the process's locks on it, but SQLite locks no write-ahead log. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
