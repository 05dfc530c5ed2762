/**
 * `npm test`: all specs. Then those of the whole service once more, unchanged, on the stores of production: a protocol
 * double stands in for EventStoreDB; mongo-java-server, which keeps everything in memory, for MongoDB. Then, where
 * EVENTSTOREDB_TEST_URL or MONGODB_TEST_URL names a server, a third time on that one, those of several processes too.
 *
 * They run compiled: from source every thread of every service would load a compiler and compile what it needs.
 */
import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runs, STAND_IN, type Run } from './e2e/servers/runs.js';
import { build, PROGRAM_AND_SPECS } from './support/build.js';
import { whyNoStandIn } from './support/mongodb/stand-ins.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The files that take longest first, so that none of them is left at the end while nothing else runs. */
const MOST = ['test/e2e/!(servers)/**/*.spec.js', 'test/e2e/*.spec.js', 'test/!(e2e)/**/*.spec.js'];
/** Several processes and servers each, which are held to bounds on time: one file after the other. */
const ALONE = ['--no-parallel', 'test/e2e/servers'];

const directory = build(PROGRAM_AND_SPECS);
process.exitCode = mocha(MOST) || mocha(ALONE) || again();

function again(): number {
  const urls = ['EVENTSTOREDB_TEST_URL', 'MONGODB_TEST_URL'].filter((name) => (process.env[name] ?? '') !== '');
  const missing = whyNoStandIn(STAND_IN);
  const wanted = runs(urls, missing);
  if (wanted.length > 0) return Math.max(...wanted.map(statusOf));
  console.log(`The specs of the whole service on the stores of production are left out, because ${String(missing)}`);
  return process.env['REQUIRE_ALL'] === '1' ? 1 : 0;
}

function statusOf({ on, stores, files }: Run): number {
  console.log(`On ${on}:`);
  const specs = files.map((file) => relative(ROOT, file).replace(/\.ts$/, '.js'));
  return mocha(specs, { TEST_STORES: stores });
}

/** Its exit status. */
function mocha(args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  const program = join('node_modules', 'mocha', 'bin', 'mocha.js');
  const config = join('test', 'compiled.mocharc.json');
  const { status, error } = spawnSync(process.execPath, [program, '--config', config, ...args], {
    cwd: directory,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (error !== undefined) throw error;
  return status ?? 1;
}
