/** Composition root of the embedded service, apart from HTTP: stores, projections and definitions of one data directory. */
import { join } from 'node:path';
import { type Logger } from 'pino';
import { type Notice } from '../projections/lane-state.js';
import { projectionsThread, type ProjectionsThread } from '../projections/thread.js';
import { projectionWatch, type HeldUp } from '../projections/watch.js';
import { type BlobStore } from './core/blob-store.js';
import { type Clock } from './core/clock.js';
import { type EventLog } from './core/event-log.js';
import { type ExpiringCounters } from './core/expiring-counters.js';
import { idAllocator, type IdAllocator } from './core/ids.js';
import { type ReadModels } from './core/read-models.js';
import { type Directory } from './directory/directory.js';
import { liveDirectory } from './directory/live-directory.js';
import { lockDataDirectory, type Lock } from './stores/data-lock.js';
import { directoryBlobStore } from './stores/directory-blob-store.js';
import { memoryCounters } from './stores/memory-counters.js';
import { sqliteCode } from './stores/sqlite.js';
import { sqliteEventLog, type SqliteEventLog } from './stores/sqlite-event-log.js';
import { sqliteReadModels, type SqliteReadModels } from './stores/sqlite-read-models.js';

export interface Service {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly blobs: BlobStore;
  readonly directory: Directory;
  readonly projections: ProjectionsThread;
  readonly counters: ExpiringCounters;
  readonly clock: Clock;
  /** Projections that do not go on right now. */
  readonly heldUp: () => readonly HeldUp[];
  /** One allocator for each kind of id. */
  idsOf(kind: string): IdAllocator;
  /** Commits what is under way and lets go of the data directory. */
  readonly close: () => Promise<void>;
}

export interface ServiceOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A thread of the service has died: what it did nobody does any longer. */
  readonly onFailed: (error: Error) => void;
}

/** Throws when another service has the directory. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { dataDir, clock, onFailed } = options;
  const lock = locked(dataDir);
  const ends: (() => void | Promise<void>)[] = [
    () => {
      lock.release();
    },
  ];
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const log = await sqliteEventLog(dataDir, onFailed);
    ends.push(() => log.close());
    const readModels = sqliteReadModels(dataDir);
    ends.push(readModels.close);
    const { projections, heldUp } = followLog(options, log, readModels);
    ends.push(() => projections.close());
    const following = new AbortController();
    const directory = await liveDirectory(readModels, following.signal);
    ends.push(() => {
      following.abort();
    });
    const blobs = await directoryBlobStore(join(dataDir, 'blobs'), clock);
    const idsOf = allocators(log, clock);
    const counters = memoryCounters(clock);
    return { log, readModels, blobs, directory, projections, counters, clock, heldUp, idsOf, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function locked(dataDir: string): Lock {
  try {
    return lockDataDirectory(dataDir);
  } catch (error) {
    const isForeign = error instanceof Error && ('code' in error || sqliteCode(error) !== undefined);
    if (!isForeign) throw error;
    throw new Error(`DATA_DIR ${dataDir} cannot be used: ${error.message}`, { cause: error });
  }
}

function followLog(
  { dataDir, clock, logger, onFailed }: ServiceOptions,
  log: SqliteEventLog,
  readModels: SqliteReadModels,
): { readonly projections: ProjectionsThread; readonly heldUp: () => readonly HeldUp[] } {
  const watch = projectionWatch(clock);
  const projections = projectionsThread({
    directory: dataDir,
    notices: log.notices(),
    onNotice: (notice) => {
      watch.notice(notice);
      if (notice.type === 'progress') readModels.notice(notice);
      else report(logger, notice);
    },
    onFailed,
  });
  return { projections, heldUp: watch.heldUp };
}

function report(logger: Logger, notice: Exclude<Notice, { type: 'progress' }>): void {
  const { type, projection, reason } = notice;
  if (type === 'stopped') logger.error({ projection, reason, poison: notice.poison }, 'a projection stopped');
  else logger.warn({ projection, reason, retryInMs: notice.retryInMs }, 'a projection is held up');
}

function allocators(log: EventLog, clock: Clock): Service['idsOf'] {
  const known = new Map<string, IdAllocator>();
  return (kind) => {
    const allocator = known.get(kind) ?? idAllocator(log, kind, { clock });
    known.set(kind, allocator);
    return allocator;
  };
}
