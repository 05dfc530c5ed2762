/** Both servers with a seeded log, and the processes of one service on them. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type Role } from '../../src/config/server-config.js';
import { freshDatabase } from '../../test/support/mongodb/for-each-mongodb.js';
import { STAND_INS, startStandIn } from '../../test/support/mongodb/stand-ins.js';
import { runJob, startJob } from '../children.js';
import { type Seeded } from '../jobs/seed.js';
import { type Options } from '../options.js';
import { READER } from '../platform.js';
import { signedIn, startProcess, type RunningService, type Stage } from '../stage.js';
import { type CopyInput } from './copy.js';

export interface Installation {
  /** As rows of the embedded stores need it: their service is the first `api` process. */
  readonly stage: Stage;
  readonly urls: Pick<CopyInput, 'eventStoreDbUrl' | 'mongoDbUrl'>;
  /** Of the process that serves. */
  readonly env: Readonly<Record<string, string>>;
  readonly api: RunningService;
  /** All other processes that have a part in a request, and run on this machine. */
  readonly others: Readonly<Record<string, number>>;
  /** A directory for another process. */
  directory(): string;
  /** One such process more. */
  startApi(): Promise<RunningService>;
  stop(): Promise<void>;
}

interface Server {
  readonly name: string;
  readonly url: string;
  /** Only of a stand-in. */
  readonly pid?: number;
  readonly stop: () => Promise<void>;
}

/** The projections run in a worker, or in the only process if its role is `all`. */
export async function installed(stage: Stage, role: 'api' | 'all' = 'api'): Promise<Installation> {
  const base = mkdtempSync(`${stage.directory}-`);
  const directory = (): string => mkdtempSync(join(base, 'process-'));
  const { seeded, urls, shared, pids, stop } = await seededServers(stage.options, join(base, 'seeds'));
  const env = { ...shared, ROLE: role };
  const { dist, prof, artifactsOnServers: artifacts } = stage.options;
  const starting = (ROLE: Role) => startProcess(dist, directory(), { prof, env: { ...shared, ROLE } });
  const worker = role === 'all' ? null : await starting('worker');
  const running = worker === null ? [] : [worker];
  const startApi = async (): Promise<RunningService> => {
    const api = await starting(role);
    running.push(api);
    return { ...api, headers: await signedIn(api.url, READER) };
  };
  const api = await startApi();
  return {
    stage: { ...stage, options: { ...stage.options, artifacts }, seeded, service: () => Promise.resolve(api) },
    urls,
    env,
    api,
    others: { ...(worker && { worker: worker.pid }), ...pids },
    directory,
    startApi,
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()));
      await stop();
    },
  };
}

/** Servers that hold the seeded log and no read models. */
async function seededServers(options: Options, directory: string) {
  const seeded = await runJob<Seeded>('seed', { directory, artifacts: options.artifactsOnServers });
  const [eventStoreDb, mongoDb] = [await eventStoreDbOf(options), await mongoDbOf(options)];
  const urls = { eventStoreDbUrl: eventStoreDb.url, mongoDbUrl: mongoDb.url };
  const prefix = `bench${randomUUID().replaceAll('-', '')}.`;
  await runJob('copy-to-servers', { ...urls, directory, prefix } satisfies CopyInput);
  const shared = {
    EVENTSTOREDB_URL: urls.eventStoreDbUrl,
    EVENTSTOREDB_PREFIX: prefix,
    MONGODB_URL: urls.mongoDbUrl,
    JWT_SECRET: 'of no use to anybody outside the benchmark',
  };
  const stop = async (): Promise<void> => {
    await Promise.all([eventStoreDb, mongoDb].map((one) => one.stop()));
  };
  return { seeded, urls, shared, pids: { ...pidOf(eventStoreDb), ...pidOf(mongoDb) }, stop };
}

const pidOf = ({ name, pid }: Server): Readonly<Record<string, number>> => (pid === undefined ? {} : { [name]: pid });

async function eventStoreDbOf({ eventstoredb: url }: Options): Promise<Server> {
  if (url !== undefined) return { name: 'EventStoreDB', url, stop: () => Promise.resolve() };
  const double = startJob('event-store-server', {});
  return { name: 'double of EventStoreDB', url: String(await double.said), pid: double.pid, stop: double.stop };
}

/** A database of its own, which is dropped afterwards. */
async function mongoDbOf({ mongodb = 'mongo-java-server' }: Options): Promise<Server> {
  const name = STAND_INS.find((one) => one === mongodb);
  const standIn = name && (await startStandIn(name));
  const { url, drop } = freshDatabase(standIn?.url ?? mongodb);
  if (standIn === undefined) return { name: 'MongoDB', url, stop: drop };
  return { ...standIn, url };
}
