/** Composition root of a release that fills its read models while another release has the data directory. */
import { all } from '../../projections/all.js';
import { runProjections } from '../../projections/engine/projection-runner.js';
import { type ProjectionStatus } from '../../projections/engine/projection-status.js';
import { eventTypes } from '../../projections/event-types.js';
import { sharedReader } from '../../projections/workers/shared-reader.js';
import { isInDataDirectory } from '../config/data-directory.js';
import { disposables } from '../core/concurrency/disposables.js';
import { logNotifications } from '../stores/shared/log-notifications.js';
import { refuseUnfinishedMigration } from '../stores/filesystem/migration-mark.js';
import { lockDataDirectory } from '../stores/sqlite/data-lock.js';
import { LOG_FILE } from '../stores/sqlite/event-log/file.js';
import { logReader } from '../stores/sqlite/event-log/reader.js';
import { readModelsDirectory } from '../stores/sqlite/read-models/directories.js';
import { readModelsOwnedByLog } from '../stores/sqlite/read-models/installation-guard.js';
import { sqliteReadModelStore } from '../stores/sqlite/read-models/writer.js';
import { firstEventOf } from './installation-guard.js';

export interface Preparation {
  readonly status: () => readonly ProjectionStatus[];
  /** Resolves once all read models are verified and as far as the log, or have stopped. */
  readonly level: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Only reads the log, and writes to a directory that is this release's own. Throws when another process fills that. */
export async function preparation(dataDir: string): Promise<Preparation> {
  if (!isInDataDirectory(dataDir, LOG_FILE)) throw new Error(`DATA_DIR ${dataDir} holds no log`);
  refuseUnfinishedMigration(dataDir);
  const opened = disposables();
  try {
    const directory = readModelsDirectory(dataDir, all);
    opened.add(lockDataDirectory(directory).release);
    const log = logReader(dataDir, logNotifications());
    opened.add(log.close);
    const stopping = new AbortController();
    const { signal } = stopping;
    readModelsOwnedByLog(directory, await firstEventOf(log, signal));
    const store = sqliteReadModelStore(directory, { isBesideOthers: true });
    opened.add(() => {
      store.close();
    });
    const ports = { projections: all, log: sharedReader(log, all, eventTypes), eventTypes, store };
    const { ready, caughtUp, status, finished } = runProjections({
      ...ports,
      isOwnLog: () => Promise.resolve(true),
      // Its status tells the same.
      report: () => undefined,
      signal,
    });
    opened.add(() => {
      stopping.abort();
      return finished;
    });
    // What was appended while they were filled comes after that.
    return { status, level: ready.then(caughtUp), close: opened.dispose };
  } catch (error) {
    await opened.dispose();
    throw error;
  }
}
