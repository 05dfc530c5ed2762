import { join } from 'node:path';
import { askService } from '../../src/operations/control-client.js';
import { controlPath } from '../../src/operations/control-protocol.js';
import { all } from '../../projections/all.js';
import { type RebuildResult } from '../../projections/engine/rebuild.js';
import { readModelsDirectory } from '../../src/stores/sqlite/read-models/directories.js';
import { memory, runJob } from '../children.js';
import { type Copied } from '../jobs/copied-rows.js';
import { type EngineResult } from '../jobs/engine.js';
import { type LagResult } from '../jobs/lag.js';
import { median } from '../statistics.js';
import { type Stage } from '../stage.js';
import { fixed, whole, type Measured } from '../table.js';
import { type Row } from './row.js';

const WRITERS = 64;
const MOST_MIB = 512;

export const rebuild: Row = {
  name: 'rebuild',
  async measure(stage) {
    await stage.stopService();
    const { pid } = await stage.service();
    const scan = async () => runJob<{ events: number; perSecond: number }>('scan', { directory: stage.directory });
    const scans = [await scan()];
    const before = memory(pid, 'VmRSS');
    const began = performance.now();
    const results = (await askService(controlPath(stage.directory), 'rebuild', {}, () => undefined)) as RebuildResult[];
    const isServed = results.every(({ outcome }) => outcome === 'served');
    // They go side by side.
    const milliseconds = isServed ? performance.now() - began : NaN;
    scans.push(await scan());
    const { events } = scans[0] ?? { events: NaN };
    const perSecond = events / (milliseconds / 1000);
    const file = fileOf(stage.directory);
    const { seconds: copied } = await runJob<Copied>('copied-rows', { directory: stage.directory, file });
    const scanned = median(scans.map((one) => one.perSecond));
    return [
      {
        what: `all read models, ${events} events`,
        ratio: fixed(perSecond / scanned),
        goal: '≥ 0.25',
        figures: `${whole(perSecond)} events/s in ${fixed(milliseconds / 1000, 1)} s; scan ${whole(scanned)} events/s; SQLite alone copies the same rows in ${fixed(copied, 1)} s`,
      },
      {
        what: 'its memory, MiB at most',
        ratio: whole(memory(pid, 'VmHWM')),
        goal: `≤ ${MOST_MIB}`,
        figures: `${whole(before)} MiB before`,
      },
    ];
  },
};

export const fileOf = (directory: string): string => join(readModelsDirectory(directory, all), 'read-models.sqlite');

export const lag: Row = {
  name: 'lag',
  async measure(stage) {
    await stage.stopService();
    // Those who wait come first: the others leave behind what the projections have yet to do.
    return [await lagOf(stage, true), await lagOf(stage, false)];
  },
};

async function lagOf({ directory, options }: Stage, waiting: boolean): Promise<Measured> {
  const seconds = options.seconds * options.rounds;
  const input = { directory, writers: WRITERS, seconds, waiting };
  const { p50, p99, early, late, perSecond, written } = await runJob<LagResult>('lag', input);
  const { p50: synced } = await runJob<EngineResult>('checkpoint', { directory, seconds: options.seconds });
  return {
    what: `of the artifacts, ${WRITERS} writers ${waiting ? 'that wait' : 'into the log'}, ms at p99`,
    ratio: fixed(p99, 1),
    goal: '≤ 50',
    figures:
      `${whole(perSecond)} events/s, p50 ${fixed(p50, 1)} ms; ` +
      `p50 of the first third ${fixed(early, 1)}, of the last ${fixed(late, 1)} ms; ` +
      `${whole(written)} MiB/s to the disk, which takes ${whole(synced)} ms for the pages of a checkpoint`,
  };
}
