/** Both servers with a seeded log, and the processes of one service on them. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
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
  /** Of an `api` process. */
  readonly env: Readonly<Record<string, string>>;
  readonly api: RunningService;
  /** All other processes that have a part in a request, and run on this machine. */
  readonly others: Readonly<Record<string, number>>;
  /** A directory for another process. */
  directory(): string;
  /** One `api` process more. */
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

export async function installed(stage: Stage): Promise<Installation> {
  const { options } = stage;
  const base = mkdtempSync(`${stage.directory}-`);
  const directory = (): string => mkdtempSync(join(base, 'process-'));
  const seeds = join(base, 'seeds');
  const artifacts = options.artifactsOnServers;
  const seeded = await runJob<Seeded>('seed', { directory: seeds, artifacts });
  const [eventStoreDb, mongoDb] = [await eventStoreDbOf(options), await mongoDbOf(options)];
  const urls = { eventStoreDbUrl: eventStoreDb.url, mongoDbUrl: mongoDb.url };
  const prefix = `bench${randomUUID().replaceAll('-', '')}.`;
  await runJob('copy-to-servers', { ...urls, directory: seeds, prefix } satisfies CopyInput);
  const shared = {
    EVENTSTOREDB_URL: urls.eventStoreDbUrl,
    EVENTSTOREDB_PREFIX: prefix,
    MONGODB_URL: urls.mongoDbUrl,
    JWT_SECRET: 'of no use to anybody outside the benchmark',
  };
  const env = { ...shared, ROLE: 'api' };
  const { dist, prof } = options;
  const worker = await startProcess(dist, directory(), { prof, env: { ...shared, ROLE: 'worker' } });
  const apis: RunningService[] = [];
  const startApi = async (): Promise<RunningService> => {
    const running = await startProcess(dist, directory(), { prof, env });
    const api = { ...running, headers: await signedIn(running.url, READER) };
    apis.push(api);
    return api;
  };
  const api = await startApi();
  return {
    stage: { ...stage, options: { ...options, artifacts }, seeded, service: () => Promise.resolve(api) },
    urls,
    env,
    api,
    others: { worker: worker.pid, ...pidOf(eventStoreDb), ...pidOf(mongoDb) },
    directory,
    startApi,
    stop: async () => {
      await Promise.all([...apis, worker].map((one) => one.stop()));
      await Promise.all([eventStoreDb, mongoDb].map((one) => one.stop()));
    },
  };
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
