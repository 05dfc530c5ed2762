import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds, memory, proportionalMemory, runJob } from '../children.js';
import { type LoadResult } from '../jobs/load.js';
import { type Options } from '../options.js';
import { startProcess } from '../stage.js';
import { median } from '../statistics.js';
import { fixed, whole, withSpread, type Measured } from '../table.js';
import { type Row } from './row.js';

export const STARTS = 5;

export const start: Row = {
  name: 'start',
  async measure(stage) {
    await stage.stopService();
    const empty = join(mkdtempSync(`${stage.directory}-`), 'data');
    await runJob('seed', { directory: empty, artifacts: 1 });
    // The first start fills the read models of the empty one, which is not what is measured.
    await started(stage.options, empty);
    const starts: Record<'full' | 'empty', Started[]> = { full: [], empty: [] };
    for (let nth = 0; nth < STARTS; nth += 1) {
      starts.empty.push(await started(stage.options, empty));
      starts.full.push(await started(stage.options, stage.directory));
    }
    rmSync(empty, { recursive: true });
    return [
      ...startsMeasured('an empty log', 400, starts.empty),
      ...startsMeasured(`${stage.seeded.events} events`, 1000, starts.full),
    ];
  },
};

export function startsMeasured(log: string, mostMs: number, starts: readonly Started[]): readonly Measured[] {
  return [
    {
      what: `until ready, with ${log}`,
      ratio: `${withSpread(
        starts.map(({ ms }) => ms),
        0,
      )} ms`,
      goal: `≤ ${mostMs} ms`,
      figures: `${whole(median(starts.map(({ cpuMs }) => cpuMs)))} ms of processor time, all threads`,
    },
    {
      what: `memory at rest, with ${log}`,
      ratio: `${withSpread(
        starts.map(({ mib }) => mib),
        0,
      )} MiB`,
      goal: '≤ 100 MiB',
      figures: 'proportional set size',
    },
  ];
}

export interface Started {
  readonly ms: number;
  readonly cpuMs: number;
  readonly mib: number;
}

export async function started(
  { dist }: Options,
  directory: string,
  env?: Readonly<Record<string, string>>,
): Promise<Started> {
  const { startedIn, pid, stop } = await startProcess(dist, directory, { ...(env && { env }) });
  const at = { ms: startedIn, cpuMs: cpuSeconds(pid) * 1000, mib: proportionalMemory(pid) };
  await stop();
  return at;
}

const EARLY_REQUESTS = 10_000;
const CONNECTIONS = 50;
/** So many artifacts in turn, so that no cache holds all that is asked for. */
const PATHS_EVERY = 4;

export const memoryHeld: Row = {
  name: 'memory',
  async measure(stage) {
    const { url, pid, headers } = await stage.service();
    const { memoryRequests } = stage.options;
    const load = async (amount: number): Promise<number> => {
      const share = Math.ceil(amount / PATHS_EVERY);
      for (let part = 0; part < PATHS_EVERY; part += 1) {
        const target =
          part % 2 === 0 ? `artifacts/${1000 + part}` : `trackers/${stage.seeded.tracker}/artifacts?limit=10`;
        const input = { url: `${url}/api/${target}`, connections: CONNECTIONS, headers, seconds: 0, amount: share };
        await runJob<LoadResult>('load', input);
      }
      return memory(pid, 'VmRSS');
    };
    const early = await load(EARLY_REQUESTS);
    const late = await load(Math.max(0, memoryRequests - EARLY_REQUESTS));
    return [
      {
        what: `after ${memoryRequests} requests`,
        ratio: fixed(late / early),
        goal: '≤ 1.1',
        figures: `${whole(early)} MiB after ${EARLY_REQUESTS}, ${whole(late)} MiB after ${memoryRequests}`,
      },
    ];
  },
};
