/** Where the services under test keep what they keep: in their data directory, or on stand-ins for the servers. */
import { createHash } from 'node:crypto';
import { freshDatabase, type FreshDatabase } from './mongodb/for-each-mongodb.js';
import { startStandIn, STAND_INS, type StandIn } from './mongodb/stand-ins.js';
import { eventStoreDouble, type Double } from './eventstoredb/double.js';

/** Names the stand-in for MongoDB; EventStoreDB's is the protocol double. Not set: embedded. */
const STORES = 'TEST_STORES';

export const TEST_JWT_SECRET = 'of no use to anybody outside the specs';

export interface StoresOfService {
  /** What a service has to be told to find them. */
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
}

export const isEmbedded = (process.env[STORES] ?? '') === '';

let standIn: Promise<StandIn> | undefined;
const known = new Map<string, Promise<StoresOfService>>();

/** The same again for the same data directory: a service that is started over it finds what was there. */
export function storesOf(dataDir: string): Promise<StoresOfService> {
  const stores = known.get(dataDir) ?? (isEmbedded ? Promise.resolve(EMBEDDED) : onServers(dataDir));
  known.set(dataDir, stores);
  return stores;
}

const EMBEDDED: StoresOfService = { env: {}, remove: () => Promise.resolve() };

async function onServers(dataDir: string): Promise<StoresOfService> {
  const [double, database] = await Promise.all([eventStoreDouble(), mongoDatabaseOf()]);
  return { env: serverEnv(double, database, dataDir), remove: () => removed(double, database, dataDir) };
}

async function mongoDatabaseOf(): Promise<FreshDatabase> {
  const name = STAND_INS.find((one) => one === process.env[STORES]);
  if (name === undefined) throw new Error(`${STORES} has to be one of ${STAND_INS.join(', ')}`);
  standIn ??= startStandIn(name);
  return freshDatabase((await standIn).url);
}

function serverEnv(double: Double, { url }: FreshDatabase, dataDir: string): StoresOfService['env'] {
  // Streams of two services on one server are told apart by it.
  const id = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  return {
    EVENTSTOREDB_URL: double.connectionString,
    EVENTSTOREDB_PREFIX: `test_${id}.`,
    MONGODB_URL: url,
    JWT_SECRET: TEST_JWT_SECRET,
  };
}

async function removed(double: Double, database: FreshDatabase, dataDir: string): Promise<void> {
  known.delete(dataDir);
  double.stop();
  await database.drop();
}
