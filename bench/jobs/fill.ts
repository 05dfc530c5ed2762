/** All read models filled from a log that is there, in this process alone. */
import { all } from '../../projections/all.js';
import { runProjections } from '../../projections/engine/projection-runner.js';
import { eventTypes } from '../../projections/event-types.js';
import { sharedReader } from '../../projections/workers/shared-reader.js';
import { type ReadModelStore } from '../../src/core/projection.js';
import { mongoDatabase } from '../../src/stores/mongodb/connection.js';
import { projectionIds } from '../../src/stores/mongodb/projection-ids.js';
import { mongoReadModelStore } from '../../src/stores/mongodb/read-models/writer.js';
import { logNotifications } from '../../src/stores/shared/log-notifications.js';
import { logReader } from '../../src/stores/sqlite/event-log/reader.js';
import { sqliteReadModelStore } from '../../src/stores/sqlite/read-models/writer.js';
import { freshDatabase } from '../../test/support/mongodb/for-each-mongodb.js';

export interface FillInput {
  /** Of the log. */
  readonly directory: string;
  /** A directory, or the URL of a MongoDB. */
  readonly readModels: string;
}

export interface FillResult {
  readonly seconds: number;
  /** Processor time of this process; a server has its own. */
  readonly cpuSeconds: number;
  readonly mostMib: number;
}

const MICROSECONDS = 1e6;

export async function fill({ directory, readModels }: FillInput): Promise<FillResult> {
  const { store, close } = readModels.startsWith('mongodb') ? onMongoDb(readModels) : onSqlite(readModels);
  const log = logReader(directory, logNotifications());
  const stopping = new AbortController();
  const [began, before] = [performance.now(), process.cpuUsage()];
  const { ready, status, finished } = runProjections({
    projections: all,
    log: sharedReader(log, all, eventTypes),
    eventTypes,
    store,
    isOwnLog: () => Promise.resolve(true),
    report: () => undefined,
    signal: stopping.signal,
  });
  await ready;
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  for (const { projection, stop } of status()) if (stop !== null) throw new Error(`${projection}: ${stop.reason}`);
  stopping.abort();
  await finished;
  log.close();
  await close();
  return {
    seconds,
    cpuSeconds: (user + system) / MICROSECONDS,
    mostMib: process.resourceUsage().maxRSS / 1024,
  };
}

interface Opened {
  readonly store: ReadModelStore;
  readonly close: () => Promise<void>;
}

function onSqlite(directory: string): Opened {
  const store = sqliteReadModelStore(directory);
  return {
    store,
    close: () => {
      store.close();
      return Promise.resolve();
    },
  };
}

/** In a database of its own. No other worker takes the leases. */
function onMongoDb(serverUrl: string): Opened {
  const fresh = freshDatabase(serverUrl);
  const database = mongoDatabase(fresh.url);
  return {
    store: mongoReadModelStore({ db: database.db, ids: projectionIds(all), tokenOf: () => 0 }),
    close: async () => {
      await database.close();
      await fresh.drop();
    },
  };
}
