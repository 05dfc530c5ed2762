import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { memory, runJob } from '../children.js';
import { type LoadResult } from '../jobs/load.js';
import { startService, type Stage } from '../stage.js';
import { median } from '../statistics.js';
import { fixed, whole } from '../table.js';
import { type Row } from './row.js';

const STARTS = 5;

export const start: Row = {
  name: 'start',
  async measure(stage) {
    await stage.stopService();
    const empty = join(mkdtempSync(`${stage.directory}-`), 'data');
    await runJob('seed', { directory: empty, artifacts: 1 });
    const times: Record<'full' | 'empty', number[]> = { full: [], empty: [] };
    // The first start fills the read models of the empty one, which is not what is measured.
    await timed(stage, empty);
    for (let nth = 0; nth < STARTS; nth += 1) {
      times.empty.push(await timed(stage, empty));
      times.full.push(await timed(stage, stage.directory));
    }
    rmSync(empty, { recursive: true });
    const [full, none] = [median(times.full), median(times.empty)];
    return [
      {
        what: `with ${stage.seeded.events} events`,
        ratio: fixed(full / none),
        goal: '≤ 2',
        figures: `${whole(full)} ms until ready; ${whole(none)} ms with an empty log`,
      },
    ];
  },
};

async function timed({ options }: Stage, directory: string): Promise<number> {
  const { startedIn, stop } = await startService(options.dist, directory);
  await stop();
  return startedIn;
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
