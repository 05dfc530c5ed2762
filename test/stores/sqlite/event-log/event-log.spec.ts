import { sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { HALF, plantEvent } from '../../../support/damaged-log.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { itKeepsTheEventLogContract } from '../../contracts/event-log.contract.js';

describe('the event log on SQLite', () => {
  itKeepsTheEventLogContract(async () => {
    const directory = await temporaryDirectory();
    const log = await sqliteEventLog(directory.path);
    return {
      log,
      plant: (stream, type, part) => {
        plantEvent(directory.path, stream, type, { [part]: HALF });
      },
      close: async () => {
        await log.close();
        await directory.remove();
      },
    };
  });
});
