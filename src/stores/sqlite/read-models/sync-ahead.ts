/** A checkpoint waits until all of the write-ahead log is on the disk. Here most of it gets there before, without a wait. */
import { open } from 'node:fs/promises';

export interface SyncAhead {
  /** To be called after each commit. */
  readonly committed: () => void;
  readonly close: () => void;
}

/** In so much time a commit after the other writes some megabytes. */
const EVERY_MS = 50;

export function syncAhead(sync: () => Promise<void>, everyMs = EVERY_MS): SyncAhead {
  let timer: NodeJS.Timeout | undefined;
  let commits = 0;
  let isClosed = false;
  const syncOnce = async (): Promise<void> => {
    const seen = commits;
    // Whatever fails here fails for the checkpoint, too, which tells of it.
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

/** By a handle of its own. SQLite keeps no lock on its log, which closing one would end. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
