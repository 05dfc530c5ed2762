import { cpSync, rmSync } from 'node:fs';
import { described, inTurn, ratioOf, type Sample } from '../compare.js';
import { startService, type RunningService, type Stage } from '../stage.js';
import { type Measured } from '../table.js';
import { othersIn } from './get-one.js';
import { spread } from './pages.js';
import { type Row } from './row.js';

const COUNTS = [0, 1, 2] as const;
const CONNECTIONS = 50;

/** Reads with reading processes and without, each service over a copy of the data. */
export const workers: Row = {
  name: 'workers',
  async measure(stage) {
    await stage.stopService();
    const copies = COUNTS.map((count) => `${stage.directory}-${count}`);
    const services: RunningService[] = [];
    try {
      for (const [index, count] of COUNTS.entries()) {
        const copy = copies[index] ?? '';
        cpSync(stage.directory, copy, { recursive: true });
        services.push(await startService(stage.options.dist, copy, { env: { WORKERS: String(count) } }));
      }
      return [
        ...(await measured(stage, services, 'one artifact again and again', othersIn(stage).slice(0, 1))),
        ...(await measured(stage, services, `${othersIn(stage).length} artifacts in turn`, othersIn(stage))),
        ...(await measured(stage, services, 'pages in turn', spread(stage, {}))),
        ...(await measured(stage, services, 'pages in turn, all values', spread(stage, { values: 'all' }))),
      ];
    } finally {
      for (const service of services) await service.stop();
      for (const copy of copies) rmSync(copy, { recursive: true, force: true });
    }
  },
};

async function measured(
  stage: Stage,
  services: readonly RunningService[],
  what: string,
  paths: readonly string[],
): Promise<readonly Measured[]> {
  const load = { connections: CONNECTIONS, ...(paths.length > 1 && { paths }) };
  const sides = services.map(({ url, pid, headers }, index) => ({
    name: `${COUNTS[index] ?? 0}`,
    pid,
    load: { ...load, headers, url: `${url}${paths[0] ?? ''}` },
  }));
  const [alone, ...others] = await inTurn(stage.options, sides);
  return others.map((sample) => compared(what, sample, alone));
}

const compared = (what: string, sample: Sample, alone: Sample | undefined): Measured => ({
  what: `${what}, WORKERS=${sample.name}`,
  ratio: alone === undefined ? '' : ratioOf(sample, alone),
  goal: '',
  figures: [sample, alone].flatMap((each) => (each === undefined ? [] : described(each))).join('; '),
});
