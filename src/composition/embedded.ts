/** Composition root of the embedded stores: everything in one data directory, which one process has. */
import { join } from 'node:path';
import { all } from '../../projections/all.js';
import { loadingThread, projectionsThread, type LoadingThread } from '../../projections/workers/worker-thread.js';
import { localHealth } from '../../projections/health/local-health.js';
import { standstill } from '../../projections/health/standstill.js';
import { steadyClock } from '../core/clock.js';
import { passes } from '../core/concurrency/pause.js';
import { markedReadModels } from '../core/marked-read-models.js';
import { disposables, type Disposables } from '../core/concurrency/disposables.js';
import { enqueue } from '../core/concurrency/keyed-queue.js';
import { understoodLog } from '../core/logs/understood-log.js';
import { lockDataDirectory, type Lock } from '../stores/sqlite/data-lock.js';
import { refuseUnfinishedMigration } from '../stores/filesystem/migration-mark.js';
import { memoryCounters } from '../stores/memory/counters.js';
import { memoryFailingWork } from '../stores/memory/failing-work.js';
import { sqliteEventLog, type SqliteEventLog } from '../stores/sqlite/event-log/event-log.js';
import { hurried, paceOf } from '../stores/sqlite/event-log/pace.js';
import { noChanges, type Changes } from '../stores/sqlite/read-models/changes.js';
import { readModelsDirectory, removeOldReadModels } from '../stores/sqlite/read-models/directories.js';
import { readModelsOwnedByLog } from '../stores/sqlite/read-models/installation-guard.js';
import { sqliteReadModels, type SqliteReadModels } from '../stores/sqlite/read-models/reader.js';
import { eventTypes } from '../../projections/event-types.js';
import { installationGuard } from './installation-guard.js';
import { refuseEmptyLog, refuseMissingLog } from './leftovers.js';
import { blobsIn, type Stores, type StoresOptions } from './stores.js';
import { noticeLog } from './rate-limited-log.js';

/** Throws when another process has the directory. */
export async function embeddedStores(options: StoresOptions): Promise<Stores> {
  const { dataDir, clock, onFailed } = options;
  const lock = locked(dataDir, 'DATA_DIR');
  const opened = disposables();
  opened.add(lock.release);
  try {
    const ownReadModels = directoryOfRelease(dataDir, opened);
    const changes = noChanges();
    const readModels = sqliteReadModels(ownReadModels, { changes });
    // After the log: a long query may take longer than the end of the process waits.
    opened.add(readModels.close);
    refuseUnfinishedMigration(dataDir);
    refuseMissingLog(dataDir);
    const thread = loadingThread(onFailed, opened);
    const log = await sqliteEventLog(dataDir, onFailed);
    opened.add(() => log.close());
    const owned = async (firstEvent: string | null): Promise<void> => {
      await Promise.resolve();
      if (firstEvent === null) refuseEmptyLog(dataDir);
      readModelsOwnedByLog(ownReadModels, firstEvent);
    };
    const stopping = new AbortController();
    await installationGuard({ owned, log, onRetry: () => undefined, onFailed, stopping }, opened);
    const { projections, ...watched } = followLog(options, log, {
      thread,
      readModels,
      directory: ownReadModels,
      changes,
    });
    opened.add(() => projections.close());
    const blobs = await blobsIn(join(dataDir, 'blobs'), log, options);
    const counters = memoryCounters(clock);
    // The directory is locked, so only this process competes.
    const withLease: Stores['withLease'] = (name, work) =>
      enqueue(lock, `exclusive-${name}`, () => work(new AbortController().signal));
    return {
      log: understoodLog(log, eventTypes),
      readModels: markedReadModels(readModels),
      blobs,
      counters,
      failingWork: memoryFailingWork(),
      projections,
      ...watched,
      unserved: () => projections.names.filter((name) => !readModels.isServing(name)),
      withLease,
      close: opened.dispose,
    };
  } catch (error) {
    await opened.dispose();
    throw error;
  }
}

/** `what`: how an error names the directory. */
function locked(directory: string, what: string): Lock {
  try {
    return lockDataDirectory(directory);
  } catch (error) {
    const isForeign = error instanceof Error && 'code' in error;
    if (!isForeign) throw error;
    throw new Error(`${what} ${directory} cannot be used: ${error.message}`, { cause: error });
  }
}

/** Locks the read models of this release against a preparation, and removes old ones. */
function directoryOfRelease(dataDir: string, opened: Disposables): string {
  const directory = readModelsDirectory(dataDir, all);
  opened.add(locked(directory, 'The directory').release);
  removeOldReadModels(dataDir, directory);
  return directory;
}

interface Written {
  readonly thread: LoadingThread;
  readonly readModels: SqliteReadModels;
  readonly directory: string;
  readonly changes: Changes;
}

function followLog(
  { dataDir, logger }: StoresOptions,
  log: SqliteEventLog,
  { thread, readModels, directory, changes }: Written,
): Pick<Stores, 'projections' | 'pace' | 'unhealthy' | 'unreachable'> {
  const health = localHealth(steadyClock);
  const reported = noticeLog(logger);
  const unhurried = hurried();
  const { look, progressed } = standstill({
    names: all.map(({ name }) => name),
    end: () => log.end(),
    isShown: async (name, position) => !readModels.isServing(name) || readModels.caughtUp(name, position, 0),
    clock: steadyClock,
    onStandstill: (projection, since) => {
      const isUnexplained = health.standsStill(projection, since);
      if (isUnexplained) reported({ type: 'troubled', projection, reason: 'It is behind the log', retryInMs: 0 });
    },
  });
  const projections = projectionsThread(thread, {
    directory: dataDir,
    readModels: directory,
    changes,
    notices: log.notices(),
    unhurried,
    onNotice: (notice) => {
      health.notice(notice);
      if (notice.type === 'progress') {
        progressed(notice.projection);
        readModels.notice(notice);
      } else reported(notice);
      if (notice.type === 'withdrawn') readModels.withdrawn(notice.projection, notice.models);
    },
  });
  const closing = new AbortController();
  void lookingRegularly(look, closing.signal);
  const close = (): Promise<void> => {
    closing.abort();
    return projections.close();
  };
  // No server is in between.
  return {
    projections: { ...projections, close },
    pace: paceOf(unhurried, projections.goOn),
    unhealthy: health.unhealthy,
    unreachable: () => [],
  };
}

const LOOK_EVERY_MS = 500;

/** A log that cannot be read is reported by those who read it. */
async function lookingRegularly(look: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (await passes(LOOK_EVERY_MS, signal)) await look().catch(() => undefined);
}
