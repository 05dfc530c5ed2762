/** Where the services under test keep what they keep: in their data directory, or on stand-ins for the servers. */
import { createHash } from 'node:crypto';
import { freshDatabase, sharedStandIn, type FreshDatabase } from './mongodb/for-each-mongodb.js';
import { STAND_INS, type StandInName } from './mongodb/stand-ins.js';
import { eventStoreDouble, type Double } from './eventstoredb/double.js';

/** Names the stand-in for MongoDB; EventStoreDB's is the protocol double. Not set: embedded. */
const STORES = 'TEST_STORES';

export const TEST_JWT_SECRET = 'of no use to anybody outside the specs';

export interface StoresOfService {
  /** What a service has to be told to find them. */
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
}

export interface ServerStores extends StoresOfService {
  readonly double: Double;
  readonly database: FreshDatabase;
  /** Precedes every stream name. */
  readonly prefix: string;
}

const isEmbedded = (process.env[STORES] ?? '') === '';

const known = new Map<string, Promise<StoresOfService>>();

after(() => Promise.all([...known.values()].map(async (stores) => (await stores).remove())));

/** The same again for the same data directory: a service that is started over it finds what was there. */
export function storesOf(dataDir: string): Promise<StoresOfService> {
  const stores = known.get(dataDir) ?? (isEmbedded ? Promise.resolve(EMBEDDED) : onServers(dataDir));
  known.set(dataDir, stores);
  return stores;
}

const EMBEDDED: StoresOfService = { env: {}, remove: () => Promise.resolve() };

async function onServers(dataDir: string): Promise<StoresOfService> {
  const name = STAND_INS.find((one) => one === process.env[STORES]);
  if (name === undefined) throw new Error(`${STORES} has to be one of ${STAND_INS.join(', ')}`);
  const stores = await serverStores(name, dataDir);
  const remove = (): Promise<void> => {
    known.delete(dataDir);
    return stores.remove();
  };
  return { env: stores.env, remove };
}

/** A double and a database of their own; streams of two services on one server would be told apart by the id. */
export async function serverStores(name: StandInName, id: string): Promise<ServerStores> {
  const { url } = await sharedStandIn(name);
  const double = await eventStoreDouble();
  const database = freshDatabase(url);
  const prefix = `test_${createHash('sha256').update(id).digest('hex').slice(0, 12)}.`;
  return {
    double,
    database,
    prefix,
    env: {
      EVENTSTOREDB_URL: double.connectionString,
      EVENTSTOREDB_PREFIX: prefix,
      MONGODB_URL: database.url,
      JWT_SECRET: TEST_JWT_SECRET,
    },
    remove: async () => {
      double.stop();
      await database.drop();
    },
  };
}
