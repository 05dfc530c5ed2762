import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { memory, runJob } from '../children.js';
import { type PutResult } from '../jobs/put.js';
import { type Seeded } from '../jobs/seed.js';
import { startService } from '../stage.js';
import { fixed, whole } from '../table.js';
import { type Row } from './row.js';

const REVISIONS = 100_000;
const FEW = 10;
/** Both in the tracker of which the fields are known. */
const [OLD, YOUNG, OTHER] = [102, 104, 106];

export const longHistory: Row = {
  name: 'put-long',
  ownPlatform: true,
  async measure(stage) {
    const { directory: base, options } = stage;
    const directory = join(mkdtempSync(`${base}-`), 'data');
    const { tracker, fields } = await runJob<Seeded>('seed', { directory, artifacts: 100 });
    const field = fields['votes'];
    const last = { [OLD]: REVISIONS, [YOUNG]: FEW, [OTHER]: FEW };
    await runJob('revisions', { directory, tracker, field, last });
    // The first start fills the read models.
    await (await startService(options.dist, directory)).stop();
    const { url, headers, pid, stop } = await startService(options.dist, directory);
    const puts = (ids: readonly number[], seconds: number): Promise<readonly PutResult[]> =>
      runJob('put', { urls: ids.map((id) => `${url}/api/artifacts/${id}`), field, headers, seconds });
    await puts([OTHER], 1);
    const before = memory(pid, 'VmRSS');
    const [old, young] = await puts([OLD, YOUNG], options.seconds * options.rounds);
    const after = memory(pid, 'VmHWM');
    await stop();
    rmSync(directory, { recursive: true });
    if (old === undefined || young === undefined) return [];
    return [
      {
        what: `of ${whole(REVISIONS)} revisions against ${FEW}`,
        ratio: fixed(old.p50 / young.p50),
        goal: '≤ 2',
        figures:
          `${fixed(old.p50)} and ${fixed(young.p50)} ms, ${old.requests} each; the first after a start ` +
          `${whole(old.first)} and ${whole(young.first)} ms; ${whole(before)} MiB before, ${whole(after)} at most`,
      },
    ];
  },
};
