/** Two `api` and one `worker` over stand-ins of the servers, with more to do than two processors can. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startStandIn } from '../../test/support/mongodb/stand-ins.js';
import { runJob, startJob } from '../children.js';
import { KINDS, type Kind, type OverloadResult, type Times } from '../jobs/overload.js';
import { platformText } from '../platform.js';
import { startProcess } from '../stage.js';
import { fixed, whole } from '../table.js';
import { type Row } from './row.js';

const ROLES = ['api', 'api', 'worker'] as const;
const PER_SECOND: Readonly<Record<Kind, number>> = { writes: 30, reads: 90, pages: 10, 'sign-ins': 1 };
const MOST_MS: Readonly<Record<Kind, number>> = { writes: 10_000, reads: 1000, pages: 3000, 'sign-ins': 1000 };

/** `--seconds` is the whole time. */
export const overload: Row = {
  name: 'overload',
  ownPlatform: true,
  async measure({ directory, options: { dist, seconds, prof } }) {
    const base = mkdtempSync(`${directory}-`);
    const [eventStore, mongoDb] = [startJob('event-store-server', {}), await startStandIn('mongo-java-server')];
    const env = {
      EVENTSTOREDB_URL: String(await eventStore.said),
      MONGODB_URL: mongoDb.url,
      JWT_SECRET: 'of no use to anybody outside the benchmark',
      PLATFORM_FILE: join(base, 'platform.yaml'),
    };
    writeFileSync(env.PLATFORM_FILE, platformText());
    const processes = await Promise.all(
      ROLES.map((ROLE, nth) => startProcess(dist, join(base, `${nth}`), { prof, env: { ...env, ROLE } })),
    );
    const urls = processes.filter((_, nth) => ROLES[nth] === 'api').map(({ url }) => url);
    const result = await runJob<OverloadResult>('overload', { urls, seconds, perSecond: PER_SECOND });
    await Promise.all([...processes, eventStore, mongoDb].map((one) => one.stop()));
    rmSync(base, { recursive: true });
    const { times, acknowledged, missed, lag, failures } = result;
    return [
      {
        what: '404 for what was acknowledged',
        ratio: whole(missed),
        goal: '0',
        figures: `${acknowledged} of ${PER_SECOND.writes * seconds} writes acknowledged; ${described(failures)}`,
      },
      {
        what: 'ms until all is shown',
        ratio: whole(lag),
        goal: '≤ 5000',
        figures: 'after the last answer, in both processes',
      },
      ...KINDS.map((kind) => ({
        what: `${PER_SECOND[kind]} ${kind}/s, ms at p99`,
        ratio: whole(times[kind].p99),
        goal: `≤ ${MOST_MS[kind]}`,
        figures: figuresOf(times[kind]),
      })),
    ];
  },
};

const figuresOf = ({ p50, early, late }: Times): string =>
  `p50 ${fixed(p50, 1)} ms; of the first third ${fixed(early, 1)}, of the last ${fixed(late, 1)} ms`;

function described(failures: OverloadResult['failures']): string {
  const all = Object.entries(failures).map(([what, count]) => `${count} × ${what}`);
  return all.length === 0 ? 'nothing failed' : all.join('; ');
}
