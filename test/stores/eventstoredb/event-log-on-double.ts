import { eventStoreDbLog } from '../../../src/stores/eventstoredb/event-log.js';
import { HALF } from '../../support/damaged-log.js';
import { type Double } from '../../support/eventstoredb/double.js';
import { PREFIX } from '../../support/eventstoredb/opened.js';
import { type OpenedLog } from '../contracts/event-log.contract.js';

/** For the contract: a log on a double, which ends with it, then what else has to end. */
export async function logOnDouble(
  double: Double,
  connectionString = double.connectionString,
  remove: () => Promise<void> = () => Promise.resolve(),
): Promise<OpenedLog> {
  const log = await eventStoreDbLog({ connectionString, prefix: PREFIX });
  return {
    log,
    plant: (stream, type, part) => {
      const texts = { data: '{}', metadata: '{}', [part]: HALF };
      double.planted(`${PREFIX}${stream}`, type, texts.data, texts.metadata);
    },
    close: async () => {
      await log.close();
      double.stop();
      await remove();
    },
  };
}
