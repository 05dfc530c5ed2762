/** All read models filled from a log that is there, in this process alone. */
import { join } from 'node:path';
import type * as definitions from '../../projections/all.js';
import type * as registry from '../../projections/event-types.js';
import type * as engine from '../../projections/engine/projection-runner.js';
import type * as workers from '../../projections/workers/shared-reader.js';
import { type ReadModelStore } from '../../src/core/projection.js';
import type * as notifications from '../../src/stores/shared/log-notifications.js';
import type * as connections from '../../src/stores/mongodb/connection.js';
import type * as versions from '../../src/stores/mongodb/projection-ids.js';
import type * as mongo from '../../src/stores/mongodb/read-models/writer.js';
import type * as events from '../../src/stores/sqlite/event-log/reader.js';
import type * as sqlite from '../../src/stores/sqlite/read-models/writer.js';
import { freshDatabase } from '../../test/support/mongodb/for-each-mongodb.js';

export interface FillInput {
  /** The compiled service. */
  readonly dist: string;
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

export async function fill({ dist, directory, readModels }: FillInput): Promise<FillResult> {
  const from = async <Module>(path: string): Promise<Module> => (await import(join(dist, path))) as Module;
  const { all } = await from<typeof definitions>('projections/all.js');
  const { eventTypes } = await from<typeof registry>('projections/event-types.js');
  const { runProjections } = await from<typeof engine>('projections/engine/projection-runner.js');
  const { sharedReader } = await from<typeof workers>('projections/workers/shared-reader.js');
  const { logReader } = await from<typeof events>('src/stores/sqlite/event-log/reader.js');
  const { logNotifications } = await from<typeof notifications>('src/stores/shared/log-notifications.js');
  const { store, close } = await (readModels.startsWith('mongodb')
    ? onMongoDb(from, readModels)
    : onSqlite(from, readModels));
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

type Modules = <Module>(path: string) => Promise<Module>;

interface Opened {
  readonly store: ReadModelStore;
  readonly close: () => Promise<void>;
}

async function onSqlite(from: Modules, directory: string): Promise<Opened> {
  const { sqliteReadModelStore } = await from<typeof sqlite>('src/stores/sqlite/read-models/writer.js');
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
async function onMongoDb(from: Modules, serverUrl: string): Promise<Opened> {
  const { all } = await from<typeof definitions>('projections/all.js');
  const { mongoDatabase } = await from<typeof connections>('src/stores/mongodb/connection.js');
  const { projectionIds } = await from<typeof versions>('src/stores/mongodb/projection-ids.js');
  const { mongoReadModelStore } = await from<typeof mongo>('src/stores/mongodb/read-models/writer.js');
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
