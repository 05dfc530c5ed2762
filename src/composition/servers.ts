/** Composition root of the stores on servers, which any number of processes share. */
import { setMaxListeners } from 'node:events';
import { disposables, type Disposables } from '../core/concurrency/disposables.js';
import { messageOf } from '../core/concurrency/retry.js';
import { type BlobStore } from '../core/blob-store.js';
import { type EventLog } from '../core/event-log.js';
import { withLease } from '../core/lease.js';
import { markedReadModels } from '../core/marked-read-models.js';
import { understoodLog } from '../core/logs/understood-log.js';
import { type Role, type Servers } from '../config/server-config.js';
import { eventStoreDbLog } from '../stores/eventstoredb/event-log.js';
import { gridFsBlobStore } from '../stores/mongodb/gridfs/blob-store.js';
import { mongoDatabase, type MongoDatabase } from '../stores/mongodb/connection.js';
import { mongoCounters } from '../stores/mongodb/counters.js';
import { mongoFailingWork } from '../stores/mongodb/failing-work.js';
import { lockLeases } from '../stores/mongodb/leases.js';
import { serverAhead } from '../stores/mongodb/server-time.js';
import { waitUntilReachable } from '../stores/mongodb/wait-until-reachable.js';
import { ownedByLog, refuseUnfinishedMigration } from '../stores/mongodb/installation-guard.js';
import { OwnedByAnother } from '../stores/shared/owned-by-another.js';
import { mongoReadModels } from '../stores/mongodb/read-models/reader.js';
import { withDefinitionsOf } from '../definitions/with-definitions-of.js';
import { eventTypes } from '../../projections/event-types.js';
import { installationGuard } from './installation-guard.js';
import { withLimitedReading } from './concurrency-limits.js';
import { projecting, PROJECTION_IDS, type ConnectedServers } from './server-projections.js';
import { blobsIn, leftoverLog, type Stores, type StoresOptions } from './stores.js';
import { retryLog, type OnServerFailure } from './rate-limited-log.js';

export interface ServerStoresOptions extends StoresOptions {
  readonly servers: Servers;
  readonly role: Role;
}

/** Rejects when a server cannot be reached, and when the two do not belong together. */
export async function serverStores(options: ServerStoresOptions): Promise<Stores> {
  const { servers, clock, logger } = options;
  const opened = disposables();
  const onFailureOf = retryLog(logger);
  const onMongoFailure = onFailureOf('MongoDB');
  try {
    const log = await reached('EVENTSTOREDB_URL', () =>
      eventStoreDbLog({
        connectionString: servers.eventStoreDbUrl,
        prefix: servers.prefix,
        onRetry: onFailureOf('EventStoreDB'),
      }),
    );
    opened.add(() => log.close());
    const mongoDb = await reached('MONGODB_URL', () => openMongoDb(options, opened, onMongoFailure));
    const { db } = mongoDb;
    const { upToDate } = mongoDb.readModels;
    const limited = withLimitedReading(mongoDb.readModels, mongoDb.connections);
    const stopping = new AbortController();
    // One for each projection, at least.
    setMaxListeners(0, stopping.signal);
    const { onFailed } = options;
    const owned = (firstEvent: string | null): Promise<void> =>
      reached('MONGODB_URL', async () => {
        await refuseUnfinishedMigration(db);
        await ownedByLog(db, firstEvent);
      });
    const isOwnLog = await installationGuard({ owned, log, onRetry: onMongoFailure, onFailed, stopping }, opened);
    const blobs = await blobStore(options, log, db);
    const locks = lockLeases(db, { onError: onMongoFailure });
    return {
      log: understoodLog(log, eventTypes),
      readModels: markedReadModels(withDefinitionsOf(limited, upToDate)),
      definitionsUpToDate: upToDate,
      blobs,
      counters: mongoCounters(db, clock),
      failingWork: mongoFailingWork(db),
      ...projecting(options, { log, ...mongoDb, isOwnLog, onRetry: onMongoFailure }, stopping, opened),
      withLease: (name, work, ended = stopping.signal) =>
        withLease(locks, name, AbortSignal.any([stopping.signal, ended]), work),
      close: opened.dispose,
    };
  } catch (error) {
    await opened.dispose();
    throw error;
  }
}

/** Says which setting is meant, and nothing of its secret. */
async function reached<T>(setting: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof OwnedByAnother) throw error;
    throw new Error(`The server of ${setting} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** What 0 in a URL counts as: the driver then opens as many connections as are needed. */
const UNLIMITED = 100;

async function openMongoDb(
  { servers }: ServerStoresOptions,
  opened: Disposables,
  onError: OnServerFailure,
): Promise<Pick<ConnectedServers, 'db' | 'readModels' | 'aheadMs'> & { readonly connections: number }> {
  const { db, client, close } = mongoDatabase(servers.mongoDbUrl);
  opened.add(close);
  await waitUntilReachable(db);
  // Users, definitions and states have connections of their own, so that no other query delays them.
  const followed = mongoDatabase(servers.mongoDbUrl);
  opened.add(followed.close);
  const readModels = await mongoReadModels({ db, followed: followed.db, ids: PROJECTION_IDS, onError });
  opened.add(() => readModels.close());
  const { maxPoolSize } = client.options;
  return { db, readModels, aheadMs: await serverAhead(db), connections: maxPoolSize === 0 ? UNLIMITED : maxPoolSize };
}

function blobStore(options: ServerStoresOptions, log: EventLog, db: MongoDatabase['db']): Promise<BlobStore> {
  const { filesDir } = options.servers;
  if (filesDir !== undefined) return blobsIn(filesDir, log, options);
  return gridFsBlobStore(db, options.clock, leftoverLog(options.logger));
}
