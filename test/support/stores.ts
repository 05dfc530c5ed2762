/** Where the services under test keep what they keep: in their data directory, on stand-ins for the servers, or on servers. */
import { randomUUID } from 'node:crypto';
import { freshDatabase, sharedStandIn, type FreshDatabase } from './mongodb/for-each-mongodb.js';
import { STAND_INS, type StandInName } from './mongodb/stand-ins.js';
import { eventStoreDouble, type Double } from './eventstoredb/double.js';

/** Names the stand-in for MongoDB; EventStoreDB's is the protocol double. Not set: embedded. */
const STORES = 'TEST_STORES';
/** As a name: the servers that these name; the stand-ins for one that is not set. */
const SERVERS = 'servers';
const EVENTSTOREDB = 'EVENTSTOREDB_TEST_URL';
const MONGODB = 'MONGODB_TEST_URL';

export const TEST_JWT_SECRET = 'of no use to anybody outside the specs';

export interface StoresOfService {
  /** What a service has to be told to find them. */
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
}

export interface ServerStores extends StoresOfService {
  readonly connectionString: string;
  readonly database: FreshDatabase;
  /** Precedes every stream name. */
  readonly prefix: string;
}

const isEmbedded = (process.env[STORES] ?? '') === '';

const known = new Map<string, Promise<StoresOfService>>();

/** Those of services that were started over a data directory which outlived them. */
export async function removeStores(): Promise<void> {
  await Promise.all([...known.values()].map(async (stores) => (await stores).remove()));
}

/** The same again for the same data directory: a service that is started over it finds what was there. */
export function storesOf(dataDir: string): Promise<StoresOfService> {
  const stores = known.get(dataDir) ?? (isEmbedded ? Promise.resolve(EMBEDDED) : onServers(dataDir));
  known.set(dataDir, stores);
  return stores;
}

/** So many reading processes has each embedded service. */
const { TEST_WORKERS } = process.env;

const EMBEDDED: StoresOfService = {
  env: TEST_WORKERS ? { WORKERS: TEST_WORKERS } : {},
  remove: () => Promise.resolve(),
};

async function onServers(dataDir: string): Promise<StoresOfService> {
  const name = process.env[STORES] === SERVERS ? DEFAULT : STAND_INS.find((one) => one === process.env[STORES]);
  if (name === undefined) throw new Error(`${STORES} has to be one of ${[...STAND_INS, SERVERS].join(', ')}`);
  const stores = await serverStores(name);
  const remove = (): Promise<void> => {
    known.delete(dataDir);
    return stores.remove();
  };
  return { env: stores.env, remove };
}

/** The stand-in for MongoDB that can do what a whole service needs. */
const DEFAULT: StandInName = 'mongo-java-server';

/**
 * Of their own: a database, and on servers that are kept a prefix for the streams, which stay there. The log is on the
 * double where one is given, whatever the variables name.
 */
export async function serverStores(name: StandInName, double?: Double): Promise<ServerStores> {
  const { connectionString, stop } = double ?? (await eventStore(given(EVENTSTOREDB)));
  const database = freshDatabase(given(MONGODB) ?? (await sharedStandIn(name)).url);
  const prefix = `test_${randomUUID().replaceAll('-', '')}.`;
  return {
    connectionString,
    database,
    prefix,
    env: {
      EVENTSTOREDB_URL: connectionString,
      EVENTSTOREDB_PREFIX: prefix,
      MONGODB_URL: database.url,
      JWT_SECRET: TEST_JWT_SECRET,
    },
    remove: async () => {
      stop();
      await database.drop();
    },
  };
}

/** Undefined where the stand-in is meant. */
function given(variable: string): string | undefined {
  return process.env[STORES] === SERVERS ? process.env[variable] || undefined : undefined;
}

async function eventStore(connectionString: string | undefined): Promise<Pick<Double, 'connectionString' | 'stop'>> {
  return connectionString === undefined ? eventStoreDouble() : { connectionString, stop: () => undefined };
}
