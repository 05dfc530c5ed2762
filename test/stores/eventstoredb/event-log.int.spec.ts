import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { eventStoreDbLog } from '../../../src/stores/eventstoredb/event-log.js';
import { HALF } from '../../support/damaged-log.js';
import { eventStoreDouble } from '../../support/eventstoredb/double.js';
import { FAR } from '../../support/eventstoredb/opened.js';
import { logOnDouble } from './event-log-on-double.js';
import { itKeepsTheEventLogContract } from '../contracts/event-log.contract.js';
import { type Part } from '../contracts/event-log-unreadable.contract.js';

for (const [which, options] of [
  ['a double of EventStoreDB', {}],
  ['a double of EventStoreDB that has written for years', { placing: FAR }],
] as const) {
  describe(`the event log on ${which}`, () => {
    itKeepsTheEventLogContract(async () => logOnDouble(await eventStoreDouble(options)));
  });
}

describe('the event log on EventStoreDB', () => {
  const connectionString = process.env['EVENTSTOREDB_TEST_URL'] ?? '';
  if (connectionString === '') {
    console.log('EVENTSTOREDB_TEST_URL is not set: the event log on a real EventStoreDB is not tested');
    return;
  }
  // Of its own, so that runs do not read each other's streams.
  const prefix = `test_${randomUUID().replaceAll('-', '')}.`;

  itKeepsTheEventLogContract(async () => {
    const log = await eventStoreDbLog({ connectionString, prefix });
    const client = EventStoreDBClient.connectionString(connectionString);
    return {
      log,
      plant: (stream, type, part) => planted(client, `${prefix}${stream}`, type, part),
      close: async () => {
        await client.dispose();
        await log.close();
      },
    };
  });
});

/** What the client sends as JSON is JSON, so that data which is none goes as bytes. */
async function planted(client: EventStoreDBClient, stream: string, type: string, part: Part): Promise<void> {
  const half = new TextEncoder().encode(HALF);
  const event = { id: randomUUID(), type };
  await client.appendToStream(
    stream,
    part === 'data'
      ? { ...event, contentType: 'application/octet-stream', data: half, metadata: {} }
      : { ...event, contentType: 'application/json', data: {}, metadata: half },
  );
}
