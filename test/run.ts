/**
 * `npm test`: all specs; `npm run test:int` and its like: those of one kind. Then most of those of the whole service once
 * more, unchanged, on the stores of production: a protocol double stands in for EventStoreDB; mongo-java-server, which keeps
 * everything in memory, for MongoDB. Then, where EVENTSTOREDB_TEST_URL or MONGODB_TEST_URL names a server, a third time
 * on that one, those of several processes too.
 *
 * They run compiled: from source every thread of every service would load a compiler and compile what it needs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { KINDS, runs, STAND_IN, type Run } from './support/runs.js';
import { build, PROGRAM_AND_SPECS } from './support/build.js';
import { whyNoStandIn } from './support/mongodb/stand-ins.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Several processes and servers each, which are held to bounds on time: apart from all others. */
const APART = 'test/e2e/servers';

const [named] = process.argv.slice(2);
const kinds = KINDS.filter((kind) => named === undefined || named === kind);

const directory = build(PROGRAM_AND_SPECS);
const counts = { passing: 0, failing: 0 };
process.exitCode =
  (await mocha(most())) || (kinds.includes('e2e') ? await mocha([APART, '--jobs', '2']) : 0) || (await again());
console.log(`${counts.passing} passed, ${counts.failing} failed`);

function most(): readonly string[] {
  return ['--ignore', `${APART}/**`, ...kinds.flatMap(patternsOf)];
}

/** Those of the stores first, some of which take minutes: none of them is left at the end while nothing else runs. */
function patternsOf(kind: string): readonly string[] {
  const folders = kind === 'int' ? ['stores', '!(stores)'] : ['**'];
  return folders.map((folder) => `test/${folder}/**/*.${kind}.spec.js`);
}

async function again(): Promise<number> {
  const urls = ['EVENTSTOREDB_TEST_URL', 'MONGODB_TEST_URL'].filter((name) => (process.env[name] ?? '') !== '');
  const missing = whyNoStandIn(STAND_IN);
  const wanted = runs(urls, missing, kinds);
  let status = 0;
  for (const run of wanted) status = Math.max(status, await statusOf(run));
  if (wanted.length > 0) return status;
  console.log(`The specs of the whole service on the stores of production are left out, because ${String(missing)}`);
  return process.env['REQUIRE_ALL'] === '1' ? 1 : 0;
}

function statusOf({ on, stores, files }: Run): Promise<number> {
  if (files.length === 0) return Promise.resolve(0);
  console.log(`On ${on}:`);
  const specs = files.map((file) => relative(ROOT, file).replace(/\.ts$/, '.js'));
  return mocha(specs, { TEST_STORES: stores });
}

/** Prints what it prints, and counts what has passed and failed. Its exit status. */
async function mocha(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const program = join('node_modules', 'mocha', 'bin', 'mocha.js');
  const config = join('test', 'compiled.mocharc.json');
  const colours = process.stdout.isTTY ? ['--color'] : [];
  const child = spawn(process.execPath, [program, '--config', config, ...colours, ...args], {
    cwd: directory,
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  for await (const line of createInterface(child.stdout)) {
    console.log(line);
    const [, count, what] = /^ *(\d+) (passing|failing)\b/.exec(stripVTControlCharacters(line)) ?? [];
    if (what === 'passing' || what === 'failing') counts[what] += Number(count);
  }
  const [status] = await exited;
  return status ?? 1;
}
