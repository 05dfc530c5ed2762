/** tracker-ledger prepare: fills the read models of this release while a service of another release goes on. */
import { preparation } from '../composition/preparation.js';
import { settingsFrom } from './operate.js';
import { exitStatusOf, inWords, movement } from './outlook.js';
import { print } from './print.js';
import { bounded } from './waiting.js';

export async function prepare(): Promise<void> {
  const { config, say, timing } = settingsFrom({});
  if (config.servers !== undefined) {
    throw new Error(
      'Over servers, start processes of this release beside the others: they fill read models of their own',
    );
  }
  const { status, level, close } = await preparation(config.dataDir);
  try {
    const look = () => ({ words: inWords(status()), ...movement('prepare', status(), 0) });
    const until = 'the read models of this release are as far as the log';
    await bounded(level, { until, look, say }, timing);
    const stopped = status().filter(({ stop }) => stop !== null);
    print(
      stopped.length === 0
        ? 'The read models are as far as the log: stop the other service, and start this one'
        : `Not all read models are filled: ${inWords(stopped)}`,
    );
    process.exitCode = exitStatusOf(stopped);
  } finally {
    await close();
  }
}
