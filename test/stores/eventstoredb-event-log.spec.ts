import { randomUUID } from 'node:crypto';
import { eventStoreDbLog } from '../../src/stores/eventstoredb-event-log.js';
import { eventStoreDouble } from '../support/eventstoredb/double.js';
import { itKeepsTheEventLogContract } from './event-log.contract.js';

describe('the event log on a double of EventStoreDB', () => {
  itKeepsTheEventLogContract(async () => {
    const double = await eventStoreDouble();
    const log = await eventStoreDbLog({ connectionString: double.connectionString, prefix: 'ledger.' });
    return {
      log,
      close: async () => {
        await log.close();
        double.stop();
      },
    };
  });
});

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
    return { log, close: () => log.close() };
  });
});
