/** Composition root of a migration: the stores of one side, without the other parts of a service. */
import { join } from 'node:path';
import { type Clock } from '../core/clock.js';
import { disposables, type Disposables } from '../core/concurrency/disposables.js';
import { type EventLog } from '../core/event-log.js';
import { type Source, type Target } from '../migration/migrate.js';
import { Refused } from '../migration/refused.js';
import { isInDataDirectory } from '../config/data-directory.js';
import { type Servers } from '../config/server-config.js';
import { lockDataDirectory } from '../stores/sqlite/data-lock.js';
import { directoryBlobStore } from '../stores/filesystem/blob-store.js';
import { eventStoreDbLog } from '../stores/eventstoredb/event-log.js';
import { gridFsBlobStore } from '../stores/mongodb/gridfs/blob-store.js';
import { mongoDatabase } from '../stores/mongodb/connection.js';
import { resetMongoReadModels } from '../stores/mongodb/reset-read-models.js';
import { ownedByLog } from '../stores/mongodb/installation-guard.js';
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

/** Longer than a cluster needs to agree on a new leader. */
const PATIENCE_MS = 60_000;

/** Opens the source first, and makes no directory for it. */
export async function openMigrationStores(from: Kind, options: MigrationStoresOptions): Promise<MigrationStores> {
  const opened = disposables();
  try {
    if (from === 'embedded') refuseWithoutLog(options.dataDir);
    const open = { embedded, production };
    const source = await open[from](options, opened);
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
async function embedded({ dataDir, clock }: MigrationStoresOptions, opened: Disposables): Promise<Target> {
  const lock = lockDataDirectory(dataDir);
  opened.add(() => {
    lock.release();
  });
  const log = await sqliteEventLog(dataDir);
  opened.add(() => log.close());
  const resetReadModels = async (): Promise<void> => {
    await Promise.resolve();
    removeReadModels(dataDir);
  };
  return { log, blobs: await directoryBlobStore(join(dataDir, 'blobs'), clock), resetReadModels };
}

async function production({ servers, clock, onRetry }: MigrationStoresOptions, opened: Disposables): Promise<Target> {
  const { eventStoreDbUrl: connectionString, prefix, mongoDbUrl, filesDir } = servers;
  const onRetryOfLog = (error: unknown): void => {
    onRetry(`EventStoreDB: ${messageOf(error)}`);
  };
  const timing = { patience: PATIENCE_MS };
  const log: EventLog = await opening(
    opened,
    eventStoreDbLog({ connectionString, prefix, timing, onRetry: onRetryOfLog }),
  );
  const { db, close } = mongoDatabase(mongoDbUrl);
  opened.add(close);
  const blobs = filesDir === undefined ? gridFsBlobStore(db, clock) : directoryBlobStore(filesDir, clock);
  const resetReadModels = async (firstEvent: string): Promise<void> => {
    await ownedByLog(db, firstEvent);
    await resetMongoReadModels(db);
  };
  return { log, blobs: await blobs, resetReadModels };
}

async function opening<T extends { close(): Promise<void> }>(opened: Disposables, opens: Promise<T>): Promise<T> {
  const store = await opens;
  opened.add(() => store.close());
  return store;
}
