/**
 * The second half of `npm test`: the specs of the whole service once more, unchanged, on the stores of production. A
 * protocol double stands in for EventStoreDB; mongo-java-server, which keeps everything in memory, for MongoDB. Then, where
 * EVENTSTOREDB_TEST_URL or MONGODB_TEST_URL names a server, a third time on that one, those of several processes too.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whyNoStandIn } from '../support/mongodb/stand-ins.js';

const STAND_IN = 'mongo-java-server';
const TESTS = fileURLToPath(new URL('..', import.meta.url));
/** What runs the whole service. */
const SERVICE = join(TESTS, 'support', 'service.ts');
const IMPORTED = /^(?:import|export) [^;]*? from '(\.[^']+)\.js';$/gm;
/** What runs it as a process, and looks at nothing that a process keeps in its data directory. */
const IN_A_PROCESS: readonly string[] = [join('process', 'log.spec.ts')];

/** Those of several processes that run on whatever servers they are given. */
const PROCESSES = /^servers[\\/]processes-(?!secured)[^\\/]*\.spec\.ts$/;
const URLS = ['EVENTSTOREDB_TEST_URL', 'MONGODB_TEST_URL'].filter((name) => (process.env[name] ?? '') !== '');

const missing = whyNoStandIn(STAND_IN);
if (missing === null || URLS.includes('MONGODB_TEST_URL')) {
  process.exitCode = again();
} else {
  console.log(`The specs of the whole service on the stores of production are left out, because ${missing}`);
  process.exitCode = process.env['REQUIRE_ALL'] === '1' ? 1 : 0;
}

/** The exit status. */
function again(): number {
  const specs = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.spec.ts'));
  const service = specs
    .filter((file) => !file.startsWith('servers'))
    .filter((file) => IN_A_PROCESS.includes(file) || usesService(join(TESTS, file)));
  const onStandIns = missing === null ? run(`an EventStoreDB double and ${STAND_IN}`, STAND_IN, service) : 0;
  if (URLS.length === 0) return onStandIns;
  const several = specs.filter((file) => PROCESSES.test(file));
  return run(`the servers of ${URLS.join(' and ')}`, 'servers', [...service, ...several]) || onStandIns;
}

/** The exit status of mocha. */
function run(title: string, stores: string, files: readonly string[]): number {
  console.log(`On ${title}:`);
  const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url));
  const options = ['--config', fileURLToPath(new URL('again.mocharc.json', import.meta.url))];
  const env = { ...process.env, TEST_STORES: stores };
  const paths = files.map((file) => join(TESTS, file));
  const { status, error } = spawnSync(process.execPath, [mocha, ...options, ...paths], { stdio: 'inherit', env });
  if (error !== undefined) throw error;
  return status ?? 1;
}

/** Itself or through what it imports from beside the specs. */
function usesService(module: string, seen = new Set<string>()): boolean {
  if (module === SERVICE) return true;
  if (seen.has(module) || !module.startsWith(TESTS)) return false;
  seen.add(module);
  return importsOf(module).some((imported) => usesService(imported, seen));
}

function importsOf(module: string): readonly string[] {
  const paths = readFileSync(module, 'utf8').matchAll(IMPORTED);
  return [...paths].map(([, path = '']) => join(dirname(module), `${path}.ts`));
}
