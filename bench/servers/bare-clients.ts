/** What a write of the service stands on: an append by the client of EventStoreDB, a majority write by the driver of MongoDB. */
import { EventStoreDBClient } from '@eventstore/db-client';
import { MongoClient } from 'mongodb';
import { appended, withoutBatches } from '../jobs/event-store.js';
import { quantile } from '../statistics.js';

export interface BareClientsInput {
  readonly eventStoreDbUrl: string;
  /** Names the database. */
  readonly mongoDbUrl: string;
  readonly atOnce: number;
  readonly seconds: number;
}

/** Milliseconds at the median, one after the other in one caller. */
export interface BareClientsResult {
  readonly append: number;
  readonly write: number;
  /** Of all callers, while none writes to MongoDB. */
  readonly appendsPerSecond: number;
}

const WARM_UP_S = 4;
const MAJORITY = { writeConcern: { w: 'majority', journal: true } } as const;
const document = { values: { text: 'd'.repeat(1000) } };

export async function bareClients(input: BareClientsInput): Promise<BareClientsResult> {
  const { eventStoreDbUrl, mongoDbUrl, atOnce, seconds } = input;
  const eventStoreDb = withoutBatches(EventStoreDBClient.connectionString(eventStoreDbUrl));
  const mongoDb = new MongoClient(mongoDbUrl);
  const collection = mongoDb.db().collection('bench');
  const append = () => appended(eventStoreDb);
  const write = () => collection.insertOne({ ...document }, MAJORITY);
  await times([append, write], atOnce, WARM_UP_S);
  const [appends, writes] = await times([append, write], 1, seconds / 2);
  const [many] = await times([append], atOnce, seconds / 2);
  await mongoDb.close();
  return {
    append: quantile(appends ?? [], 0.5),
    write: quantile(writes ?? [], 0.5),
    appendsPerSecond: (many ?? []).length / (seconds / 2),
  };
}

/** Milliseconds of each call; every caller makes one call after the other. */
async function times(
  calls: readonly (() => Promise<unknown>)[],
  atOnce: number,
  seconds: number,
): Promise<readonly (readonly number[])[]> {
  const taken = calls.map((): number[] => []);
  const end = performance.now() + seconds * 1000;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      for (const [index, call] of calls.entries()) {
        const began = performance.now();
        await call();
        taken[index]?.push(performance.now() - began);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return taken;
}
