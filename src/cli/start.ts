/** tracker-ledger start. */
import { LOG_THREAD, PROJECTIONS_THREAD, startAhead } from '../stores/shared/thread.js';

const OF_SERVERS = /^(EVENTSTOREDB|MONGODB)_URL/;

/** Most of a start loads modules: the threads of the embedded stores load theirs meanwhile. */
export async function start(): Promise<void> {
  const isEmbedded = !Object.keys(process.env).some((name) => OF_SERVERS.test(name));
  if (isEmbedded) for (const thread of [LOG_THREAD, PROJECTIONS_THREAD]) startAhead(thread);
  await import('../main.js');
}
