import { askService } from '../../src/operations/control-client.js';
import { controlPath } from '../../src/operations/control-protocol.js';
import { type RebuildResult } from '../../projections/engine/rebuild.js';
import { memory, runJob } from '../children.js';
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
    const scanned = median(scans.map((one) => one.perSecond));
    return [
      {
        what: `all read models, ${events} events`,
        ratio: fixed(perSecond / scanned),
        goal: '≥ 0.25',
        figures: `${whole(perSecond)} events/s in ${fixed(milliseconds / 1000, 1)} s; scan ${whole(scanned)} events/s`,
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
  const { p50, p99, early, late, perSecond } = await runJob<LagResult>('lag', input);
  return {
    what: `of the artifacts, ${WRITERS} writers ${waiting ? 'that wait' : 'into the log'}, ms at p99`,
    ratio: fixed(p99, 1),
    goal: '≤ 50',
    figures:
      `${whole(perSecond)} events/s, p50 ${fixed(p50, 1)} ms; ` +
      `p50 of the first third ${fixed(early, 1)}, of the last ${fixed(late, 1)} ms`,
  };
}
