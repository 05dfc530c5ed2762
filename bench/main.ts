/** npm run bench: what the service does, beside what the parts it stands on do, in one run. */
import { availableParallelism, loadavg } from 'node:os';
import { endAll, serveJob } from './children.js';
import { jobs } from './jobs.js';
import { readOptions } from './options.js';
import { rows } from './rows/all.js';
import { withStage } from './stage.js';
import { printRow, printHead } from './table.js';

const [, , mode, name = ''] = process.argv;

if (mode === 'job') {
  const load = jobs[name];
  if (load === undefined) throw new RangeError(`There is no job ${name}`);
  serveJob(await load());
} else {
  await measure();
}

async function measure(): Promise<void> {
  const options = readOptions(
    process.argv.slice(2),
    rows.map((row) => row.name),
  );
  const wanted = rows.filter(({ name: row, onRequest = false }) =>
    options.only.length === 0 ? !onRequest : options.only.some((prefix) => row.startsWith(prefix)),
  );
  process.on('exit', endAll);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const load = (): string => loadavg()[0]?.toFixed(1) ?? '?';
  if (options.curve !== undefined) {
    // What draws takes long to load.
    await (await import('./curve/curve.js')).measureCurve(options, options.curve);
    return;
  }
  if (options.flames !== undefined) {
    await (await import('./flames/flames.js')).measureFlames(options, options.flames);
    return;
  }
  const isOnServers = wanted.every(({ name: row }) => row === 'servers');
  const shown = isOnServers ? { ...options, artifacts: options.artifactsOnServers } : options;
  printHead(`Node ${process.version}, ${availableParallelism()} processors, load ${load()} before`, shown);
  const artifacts = wanted.every(({ ownPlatform }) => ownPlatform) ? 1 : options.artifacts;
  await withStage({ ...options, artifacts }, async (stage) => {
    for (const row of wanted) printRow(row, await row.measure(stage));
  });
  process.stdout.write(`load ${load()} after\n`);
}
