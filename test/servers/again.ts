/**
 * The second half of `npm test`: the specs of the whole service once more, unchanged, on the stores of production. A
 * protocol double stands in for EventStoreDB; mongo-java-server, which keeps everything in memory, for MongoDB.
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

const missing = whyNoStandIn(STAND_IN);
if (missing === null) {
  process.exitCode = again();
} else {
  console.log(`The specs of the whole service on the stores of production are left out, because ${missing}`);
  process.exitCode = process.env['REQUIRE_ALL'] === '1' ? 1 : 0;
}

/** The exit status of mocha. */
function again(): number {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts') && !file.startsWith('servers'))
    .filter((file) => IN_A_PROCESS.includes(file) || usesService(join(TESTS, file)))
    .map((file) => join(TESTS, file));
  console.log(`On an EventStoreDB double and ${STAND_IN}:`);
  const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url));
  const options = ['--config', fileURLToPath(new URL('again.mocharc.json', import.meta.url))];
  const env = { ...process.env, TEST_STORES: STAND_IN };
  const { status, error } = spawnSync(process.execPath, [mocha, ...options, ...files], { stdio: 'inherit', env });
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
