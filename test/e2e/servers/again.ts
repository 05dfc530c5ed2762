/**
 * The second half of `npm test`: the specs of the whole service once more, unchanged, on the stores of production. A
 * protocol double stands in for EventStoreDB; mongo-java-server, which keeps everything in memory, for MongoDB. Then, where
 * EVENTSTOREDB_TEST_URL or MONGODB_TEST_URL names a server, a third time on that one, those of several processes too.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { whyNoStandIn } from '../../support/mongodb/stand-ins.js';
import { runs, STAND_IN, type Run } from './runs.js';

const URLS = ['EVENTSTOREDB_TEST_URL', 'MONGODB_TEST_URL'].filter((name) => (process.env[name] ?? '') !== '');

const missing = whyNoStandIn(STAND_IN);
const wanted = runs(URLS, missing);
if (wanted.length > 0) {
  process.exitCode = Math.max(...wanted.map(statusOf));
} else {
  console.log(`The specs of the whole service on the stores of production are left out, because ${String(missing)}`);
  process.exitCode = process.env['REQUIRE_ALL'] === '1' ? 1 : 0;
}

/** The exit status of mocha. */
function statusOf({ on, stores, files }: Run): number {
  console.log(`On ${on}:`);
  const mocha = fileURLToPath(new URL('../../../node_modules/mocha/bin/mocha.js', import.meta.url));
  const options = [
    '--config',
    fileURLToPath(new URL('again.mocharc.json', import.meta.url)),
    '--parallel',
    '--jobs',
    '2',
  ];
  const env = { ...process.env, TEST_STORES: stores };
  const { status, error } = spawnSync(process.execPath, [mocha, ...options, ...files], { stdio: 'inherit', env });
  if (error !== undefined) throw error;
  return status ?? 1;
}
