/** `npm run bench -- --flames DIRECTORY`: what the threads of the service spend their time on, an SVG for each kind of work. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlPath } from '../../src/operations/control-protocol.js';
import { askService } from '../../src/operations/control-client.js';
import { runJob } from '../children.js';
import { type LoadInput } from '../jobs/load.js';
import { type Options } from '../options.js';
import { othersIn } from '../rows/get-one.js';
import { spread, walked } from '../rows/pages.js';
import { postOf } from '../rows/writes.js';
import { startService, withStage, type RunningService, type Stage } from '../stage.js';
import { drawn } from './draw.js';
import { callsIn, type Call } from './profile.js';

type Thread = 'serving' | 'projections';

interface Work {
  readonly name: string;
  readonly what: string;
  readonly threads: readonly Thread[];
  readonly run: (stage: Stage, service: RunningService) => Promise<unknown>;
}

const CONNECTIONS = 50;

const gets =
  (paths: (stage: Stage) => readonly string[]): Work['run'] =>
  (stage, { url, headers }) =>
    loaded(stage, { url, headers, connections: CONNECTIONS, paths: paths(stage) });

const getAgain: Work['run'] = (stage, { url, headers }) =>
  loaded(stage, { url: `${url}/api/artifacts/1000`, headers, connections: CONNECTIONS });

const posts =
  (clients: number): Work['run'] =>
  async (stage, service) =>
    loaded(stage, await postOf(stage, clients, service));

const WORKS: readonly Work[] = [
  { name: 'get', what: 'one artifact again and again', threads: ['serving'], run: getAgain },
  { name: 'get-in-turn', what: 'artifacts in turn', threads: ['serving'], run: gets(othersIn) },
  { name: 'page', what: 'pages of 50 in turn', threads: ['serving'], run: gets((stage) => spread(stage, {})) },
  {
    name: 'page-values',
    what: 'pages of 50 behind one another, with all values',
    threads: ['serving'],
    run: gets((stage) => walked(stage, { values: 'all' })),
  },
  { name: 'post-one', what: 'new artifacts, one client', threads: ['serving', 'projections'], run: posts(1) },
  { name: 'post', what: 'new artifacts, 64 clients', threads: ['serving', 'projections'], run: posts(64) },
  {
    name: 'rebuild',
    what: 'rebuild of all read models',
    threads: ['projections'],
    run: ({ directory }) => askService(controlPath(directory), 'rebuild', {}, () => undefined),
  },
];

function loaded({ options }: Stage, input: Omit<LoadInput, 'seconds'>): Promise<unknown> {
  return runJob('load', { ...input, seconds: options.seconds * options.rounds });
}

export async function measureFlames(options: Options, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  await withStage(options, async (stage) => {
    // The first start fills the read models.
    await stage.service();
    await stage.stopService();
    const { only } = options;
    for (const work of WORKS) {
      if (only.length === 0 || only.includes(work.name)) await measureOne(stage, work, directory);
    }
  });
}

async function measureOne(stage: Stage, { name, what, threads, run }: Work, directory: string): Promise<void> {
  const prof = mkdtempSync(join(tmpdir(), 'tracker-ledger-profile-'));
  try {
    const service = await startService(stage.options.dist, stage.directory, { prof });
    await run(stage, service);
    await service.stop();
    const profiles = readdirSync(prof).map((file) => callsIn(join(prof, file)));
    for (const thread of threads) {
      const calls = profiles.find((one) => isOf(thread, one));
      if (calls === undefined) throw new Error(`${prof} has no profile of the ${thread} thread`);
      const file = join(directory, `profile-${name}${thread === 'serving' ? '' : '-projections'}.svg`);
      writeFileSync(file, drawn(calls, `${what}: the ${thread} thread, without waiting`));
      process.stdout.write(`${file}\n`);
    }
  } finally {
    rmSync(prof, { recursive: true, force: true });
  }
}

const ENTRIES: Readonly<Record<Thread, string>> = {
  serving: 'src/main.ts',
  projections: 'projections/workers/worker.ts',
};

function isOf(thread: Thread, { calls }: Call): boolean {
  return [...calls.values()].some((call) => call.place === ENTRIES[thread] || isOf(thread, call));
}
