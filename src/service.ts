/** Composition root of the embedded service, apart from HTTP: stores, projections and definitions of one data directory. */
import { type Logger } from 'pino';
import { type Notice } from '../projections/lane-state.js';
import { projectionsThread, type ProjectionsThread } from '../projections/thread.js';
import { type Clock } from './core/clock.js';
import { type EventLog } from './core/event-log.js';
import { type ExpiringCounters } from './core/expiring-counters.js';
import { idAllocator, type IdAllocator } from './core/ids.js';
import { type ReadModels } from './core/read-models.js';
import { type Directory } from './directory/directory.js';
import { liveDirectory } from './directory/live-directory.js';
import { lockDataDirectory } from './stores/data-lock.js';
import { memoryCounters } from './stores/memory-counters.js';
import { sqliteEventLog } from './stores/sqlite-event-log.js';
import { sqliteReadModels } from './stores/sqlite-read-models.js';

export interface Service {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly directory: Directory;
  readonly projections: ProjectionsThread;
  readonly counters: ExpiringCounters;
  readonly clock: Clock;
  /** One allocator for each kind of id. */
  idsOf(kind: string): IdAllocator;
  /** Commits what is under way and lets go of the data directory. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A thread of the service has died: what it did nobody does any longer. */
  readonly onFailed: (error: Error) => void;
}

/** Throws when another service has the directory. */
export async function openService({ dataDir, clock, logger, onFailed }: ServiceOptions): Promise<Service> {
  const lock = lockDataDirectory(dataDir);
  const allocators = new Map<string, IdAllocator>();
  const log = await sqliteEventLog(dataDir, onFailed);
  const readModels = sqliteReadModels(dataDir);
  const projections = projectionsThread({
    directory: dataDir,
    notices: log.notices(),
    onNotice: (notice) => {
      if (notice.type === 'progress') readModels.notice(notice);
      else report(logger, notice);
    },
    onFailed,
  });
  const following = new AbortController();
  const directory = await liveDirectory(readModels, following.signal);
  return {
    log,
    readModels,
    directory,
    projections,
    counters: memoryCounters(clock),
    clock,
    idsOf: (kind) => {
      const allocator = allocators.get(kind) ?? idAllocator(log, kind, { clock });
      allocators.set(kind, allocator);
      return allocator;
    },
    close: async () => {
      following.abort();
      await projections.close();
      readModels.close();
      await log.close();
      lock.release();
    },
  };
}

function report(logger: Logger, notice: Exclude<Notice, { type: 'progress' }>): void {
  const { type, projection, reason } = notice;
  if (type === 'stopped') logger.error({ projection, reason, poison: notice.poison }, 'a projection stopped');
  else logger.warn({ projection, reason, retryInMs: notice.retryInMs }, 'a projection is held up');
}
