/** Composition root of the stores on servers, which any number of processes share. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { all } from '../../projections/all.js';
import { runLeased } from '../../projections/workers/leased-runner.js';
import { remoteWatch, type Remote } from '../../projections/health/cluster-health.js';
import { messageOf } from '../core/concurrency/retry.js';
import { projectionWatch } from '../../projections/health/local-health.js';
import { type BlobStore } from '../core/blob-store.js';
import { type EventReader, type Position } from '../core/event-log.js';
import { exclusively } from '../core/lease.js';
import { markedReadModels } from '../core/marked-read-models.js';
import { understoodLog } from '../core/logs/understood-log.js';
import { type Role, type Servers } from '../config/server-config.js';
import { directoryBlobStore } from '../stores/filesystem/blob-store.js';
import { eventStoreDbLog } from '../stores/eventstoredb/event-log.js';
import { gridFsBlobStore } from '../stores/mongodb/gridfs/blob-store.js';
import { mongoDatabase, type MongoDatabase } from '../stores/mongodb/connection.js';
import { mongoCounters } from '../stores/mongodb/counters.js';
import { mongoFailingWork } from '../stores/mongodb/failing-work.js';
import { LEASE_TIMING, lockLeases, serverAhead } from '../stores/mongodb/leases.js';
import { answering } from '../stores/mongodb/wait-until-reachable.js';
import { ownedByLog } from '../stores/mongodb/installation-guard.js';
import { mongoReadModels, type MongoReadModels } from '../stores/mongodb/read-models/reader.js';
import { type ProjectionState } from '../stores/mongodb/read-models/serving-state.js';
import { mongoRequests } from '../stores/mongodb/rebuild-requests.js';
import { coordination, reportIn } from './coordination.js';
import { eventTypes } from '../../projections/event-types.js';
import { ownership } from './installation-guard.js';
import { sharedProjections, type SharedProjection } from './shared-projections.js';
import { openedInTurn, type Opened, type Stores, type StoresOptions } from './stores.js';
import { reports, troubles, type Trouble } from './rate-limited-log.js';

export interface ServerStoresOptions extends StoresOptions {
  readonly servers: Servers;
  readonly role: Role;
}

/** The state is told to be unknown when the last look at it is older than this. */
const LOOK_OVERDUE_MS = 3000;
const LOOK_EVERY_MS = 500;
const LOG_EVERY_MS = 2000;
/** Longer than a worker with its lease is ever silent. */
const SILENCE_MS = LEASE_TIMING.lasts + LEASE_TIMING.renewedEvery;

/** Rejects when a server cannot be reached, and when the two do not belong together. */
export async function serverStores(options: ServerStoresOptions): Promise<Stores> {
  const { servers, clock, logger } = options;
  const opened = openedInTurn();
  const trouble = troubles(logger);
  const mongoTrouble = trouble('MongoDB');
  try {
    const log = await reached('EVENTSTOREDB_URL', () =>
      eventStoreDbLog({
        connectionString: servers.eventStoreDbUrl,
        prefix: servers.prefix,
        onTrouble: trouble('EventStoreDB'),
      }),
    );
    opened.push(() => log.close());
    const mongoDb = await reached('MONGODB_URL', () => openMongoDb(options, opened, mongoTrouble));
    const { db } = mongoDb;
    const stopping = new AbortController();
    // One for each projection, at least.
    setMaxListeners(0, stopping.signal);
    const { onFailed } = options;
    const owning = await ownership({
      owned: (firstEvent) => ownedByLog(db, firstEvent),
      log,
      onTrouble: mongoTrouble,
      onFailed,
      signal: stopping.signal,
    });
    opened.push(() => {
      stopping.abort();
      return owning.finished;
    });
    const blobs = await blobStore(options, db);
    const locks = lockLeases(db, { onTrouble: mongoTrouble });
    return {
      log: understoodLog(log, eventTypes),
      readModels: markedReadModels(mongoDb.readModels),
      blobs,
      counters: mongoCounters(db, clock),
      failingWork: mongoFailingWork(db),
      ...projecting(options, { log, ...mongoDb, isOwnLog: owning.isOwnLog, onTrouble: mongoTrouble }, stopping, opened),
      exclusively: (name, work) => exclusively(locks, name, stopping.signal, work),
      close: opened.close,
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Says which setting is meant, and nothing of its secret. */
async function reached<T>(setting: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new Error(`The server of ${setting} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

async function openMongoDb(
  { servers }: ServerStoresOptions,
  opened: Opened,
  onTrouble: Trouble,
): Promise<Pick<Ports, 'db' | 'readModels' | 'aheadMs'>> {
  const { db, close } = mongoDatabase(servers.mongoDbUrl);
  opened.push(close);
  await answering(db);
  const readModels = await mongoReadModels({ db, onTrouble });
  opened.push(() => readModels.close());
  return { db, readModels, aheadMs: await serverAhead(db) };
}

function blobStore({ servers, clock }: ServerStoresOptions, db: MongoDatabase['db']): Promise<BlobStore> {
  return servers.filesDir === undefined ? gridFsBlobStore(db, clock) : directoryBlobStore(servers.filesDir, clock);
}

interface Ports {
  readonly log: EventReader;
  readonly db: MongoDatabase['db'];
  readonly readModels: MongoReadModels;
  /** MongoDB's clock is ahead of this process's by so much. */
  readonly aheadMs: number;
  readonly isOwnLog: () => Promise<boolean>;
  readonly onTrouble: Trouble;
}

/** Runs the projections that no other process runs, unless the role is another, and watches them all. */
function projecting(
  { role, clock, logger }: ServerStoresOptions,
  { log, db, readModels, aheadMs, isOwnLog, onTrouble }: Ports,
  stopping: AbortController,
  opened: Opened,
): Pick<Stores, 'projections' | 'heldUp' | 'unserved' | 'unreachable'> {
  const { signal } = stopping;
  const requests = mongoRequests(db, clock);
  const watch = projectionWatch(clock);
  const reported = reports(logger);
  const running =
    role === 'api'
      ? Promise.resolve()
      : runLeased({
          projections: all,
          log,
          eventTypes,
          isOwnLog,
          coordination: coordination(db, requests, onTrouble),
          report: (notice) => {
            watch.notice(notice);
            if (notice.type !== 'progress') reported(notice);
          },
          heldUp: watch.heldUp,
          signal,
        });
  const { look, logEnds, ...watched } = remoteWatch({
    names: all.map(({ name }) => name),
    look: () => ({ remotes: readModels.states().map(remoteOf), at: readModels.followedAt() }),
    // Not the service's, which specs move: how long a worker is silent has nothing to do with it.
    clock: () => new Date(),
    silenceMs: SILENCE_MS,
    overdueMs: LOOK_OVERDUE_MS,
  });
  const timer = setInterval(look, LOOK_EVERY_MS);
  const watching = endsOf(log, logEnds, signal);
  const finished = async (): Promise<void> => {
    clearInterval(timer);
    stopping.abort();
    await Promise.all([running, watching]);
  };
  const lookAt = (): readonly SharedProjection[] => {
    const by = readModels.followedAt().getTime() + aheadMs;
    return readModels.followed().map((state) => sharedOf(state, by));
  };
  const shared = { look: lookAt, onTrouble, signal, finished };
  const projections = sharedProjections({ projections: all, log, readModels, requests, ...shared });
  opened.push(() => projections.close());
  return { projections, ...watched, unserved: () => unservedOf(projections.names, readModels.followed()) };
}

function unservedOf(names: readonly string[], states: readonly ProjectionState[]): readonly string[] {
  const served = states.filter((state) => state.served !== null);
  return names.filter((name) => !served.some(({ projection }) => projection === name));
}

/** Where the log ends nobody knows while it is away; what it held before is known. */
async function endsOf(
  log: EventReader,
  tell: (end: Position | null, asked: Date) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const asked = new Date();
    await log.end().then(
      (end) => {
        tell(end, asked);
      },
      () => undefined,
    );
    await sleep(LOG_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** A new expiry, or another holder, is a sign of life. */
function remoteOf({ projection, token, served, lease, status }: ProjectionState): Remote {
  const sign = lease === null ? null : `${token} ${lease.expiresAt.toISOString()}`;
  return { projection, sign, report: reportIn(status), position: served?.position ?? null };
}

/** As of a time of MongoDB's clock: a worker that was killed leaves its lease behind. */
function sharedOf({ projection, served, lease, status }: ProjectionState, by: number): SharedProjection {
  const isHeld = lease !== null && lease.expiresAt.getTime() > by;
  return { projection, served, report: reportIn(status), isHeld };
}
