/**
 * `npm test`: all specs; `npm run test:int` and its like: those of one kind. Then those of the whole service once more,
 * unchanged, on the stores of production: a protocol double stands in for EventStoreDB; mongo-java-server, which keeps
 * everything in memory, for MongoDB. Then, where EVENTSTOREDB_TEST_URL or MONGODB_TEST_URL names a server, a third time
 * on that one, those of several processes too.
 *
 * They run compiled: from source every thread of every service would load a compiler and compile what it needs.
 */
import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KINDS, runs, STAND_IN, type Run } from './support/runs.js';
import { build, PROGRAM_AND_SPECS } from './support/build.js';
import { whyNoStandIn } from './support/mongodb/stand-ins.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Several processes and servers each, which are held to bounds on time: one file after the other. */
const ALONE = 'test/e2e/servers';

const [named] = process.argv.slice(2);
const kinds = KINDS.filter((kind) => named === undefined || named === kind);

const directory = build(PROGRAM_AND_SPECS);
process.exitCode = mocha(most()) || (kinds.includes('e2e') ? mocha(['--no-parallel', ALONE]) : 0) || again();

function most(): readonly string[] {
  return ['--ignore', `${ALONE}/**`, ...kinds.map((kind) => `test/**/*.${kind}.spec.js`)];
}

function again(): number {
  const urls = ['EVENTSTOREDB_TEST_URL', 'MONGODB_TEST_URL'].filter((name) => (process.env[name] ?? '') !== '');
  const missing = whyNoStandIn(STAND_IN);
  const wanted = runs(urls, missing, kinds);
  if (wanted.length > 0) return Math.max(...wanted.map(statusOf));
  console.log(`The specs of the whole service on the stores of production are left out, because ${String(missing)}`);
  return process.env['REQUIRE_ALL'] === '1' ? 1 : 0;
}

function statusOf({ on, stores, files }: Run): number {
  if (files.length === 0) return 0;
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
