/** Composition root of a migration: the stores of one side, without the other parts of a service. */
import { join } from 'node:path';
import { type Clock } from '../core/clock.js';
import { disposables, type Disposables } from '../core/concurrency/disposables.js';
import { type BlobStore } from '../core/blob-store.js';
import { type EventLog, RevisionConflict } from '../core/event-log.js';
import { namesBytes } from '../files/held-bytes.js';
import { type Source, type Target } from '../migration/migrate.js';
import { Refused } from '../migration/refused.js';
import { isInDataDirectory } from '../config/data-directory.js';
import { type Servers } from '../config/server-config.js';
import { lockDataDirectory } from '../stores/sqlite/data-lock.js';
import * as directoryMark from '../stores/filesystem/migration-mark.js';
import { directoryBlobStore } from '../stores/filesystem/blob-store.js';
import { eventStoreDbLog } from '../stores/eventstoredb/event-log.js';
import { gridFsBlobStore } from '../stores/mongodb/gridfs/blob-store.js';
import { mongoDatabase } from '../stores/mongodb/connection.js';
import { resetMongoReadModels } from '../stores/mongodb/reset-read-models.js';
import * as installation from '../stores/mongodb/installation-guard.js';
import { promised } from '../stores/sqlite/connection.js';
import { moveIntoFile } from '../stores/sqlite/event-log/checkpoints.js';
import { LOG_FILE } from '../stores/sqlite/event-log/file.js';
import { sqliteEventLog } from '../stores/sqlite/event-log/event-log.js';
import { removeReadModels } from '../stores/sqlite/read-models/directories.js';
import { messageOf } from '../core/concurrency/retry.js';

export type Kind = 'embedded' | 'production';

export interface MigrationStoresOptions {
  readonly dataDir: string;
  readonly servers: Servers;
  readonly clock: Clock;
  /** Told of what is tried again. */
  readonly onRetry: (reason: string) => void;
}

export interface MigrationStores {
  readonly from: Source;
  readonly to: Target;
  close(): Promise<void>;
}

interface Side extends Target {
  /** Throws where an earlier migration into it has not ended. */
  readonly refuseUnfinished: () => Promise<void>;
}

/** Longer than a cluster needs to agree on a new leader. */
const PATIENCE_MS = 60_000;

/** Opens the source first, and makes no directory for it. */
export async function openMigrationStores(from: Kind, options: MigrationStoresOptions): Promise<MigrationStores> {
  const opened = disposables();
  try {
    if (from === 'embedded') refuseWithoutLog(options.dataDir);
    const open = { embedded, production };
    const source = await open[from](options, opened);
    await source.refuseUnfinished();
    const target = await open[from === 'embedded' ? 'production' : 'embedded'](options, opened);
    return { from: source, to: target, close: opened.dispose };
  } catch (error) {
    await opened.dispose();
    throw error;
  }
}

function refuseWithoutLog(dataDir: string): void {
  if (!isInDataDirectory(dataDir, LOG_FILE)) throw new Refused(`DATA_DIR ${dataDir} holds no log`);
}

/** Refuses a directory that a service has. */
async function embedded({ dataDir, clock }: MigrationStoresOptions, opened: Disposables): Promise<Side> {
  const lock = lockDataDirectory(dataDir);
  opened.add(() => {
    lock.release();
  });
  let failure: Error | undefined;
  const log = await sqliteEventLog(dataDir, (error) => (failure = error));
  opened.add(() => log.close());
  const failed = (error: unknown): never => {
    if (error instanceof RevisionConflict) throw error;
    throw new Error(
      `DATA_DIR ${dataDir} takes no more events: ${messageOf(failure ?? error)}. Once the cause is removed, the same ` +
        'command goes on where it was',
      { cause: error },
    );
  };
  const begin = async (firstEvent: string): Promise<void> => {
    await directoryMark.markMigration(dataDir, firstEvent, clock);
    removeReadModels(dataDir);
    // A sync of the last events may have failed in an earlier run. All processes read them, but a power cut loses them.
    await promised(() => {
      moveIntoFile(dataDir);
    }).catch(failed);
  };
  return {
    log: { ...log, append: (...append) => log.append(...append).catch(failed) },
    blobs: await blobsIn(join(dataDir, 'blobs'), log, clock),
    begin,
    complete: () => directoryMark.removeMigrationMark(dataDir),
    refuseUnfinished: async () => {
      await Promise.resolve();
      directoryMark.refuseUnfinishedMigration(dataDir);
    },
  };
}

async function production({ servers, clock, onRetry }: MigrationStoresOptions, opened: Disposables): Promise<Side> {
  const { eventStoreDbUrl: connectionString, prefix, mongoDbUrl, filesDir } = servers;
  const onRetryOfLog = (error: unknown): void => {
    onRetry(`EventStoreDB: ${messageOf(error)}`);
  };
  const timing = { patience: PATIENCE_MS };
  const log = await eventStoreDbLog({ connectionString, prefix, timing, onRetry: onRetryOfLog });
  opened.add(() => log.close());
  const { db, close } = mongoDatabase(mongoDbUrl);
  opened.add(close);
  const blobs = filesDir === undefined ? gridFsBlobStore(db, clock) : blobsIn(filesDir, log, clock);
  const begin = async (firstEvent: string): Promise<void> => {
    await installation.ownedByLog(db, firstEvent);
    await resetMongoReadModels(db);
    await installation.markMigration(db, clock());
  };
  return {
    log,
    blobs: await blobs,
    begin,
    complete: () => installation.removeMigrationMark(db),
    refuseUnfinished: () => installation.refuseUnfinishedMigration(db),
  };
}

/** Copies neither from nor to a directory that is away: what is below its mount point is not the store. */
function blobsIn(filesDir: string, log: EventLog, clock: Clock): Promise<BlobStore> {
  return directoryBlobStore(filesDir, clock, {
    hasBytes: () => namesBytes(log),
    onAway: (reason) => {
      throw new Refused(`${filesDir}: ${reason}`);
    },
  });
}
