import { described, inTurn, ratioOf } from '../compare.js';
import { FIRST_ID } from '../platform.js';
import { textAt, type Stage } from '../stage.js';
import { fixed, type Measured } from '../table.js';
import { besideWriters } from '../writers.js';
import { type Row } from './row.js';

/** One of the first tracker, also where there are few. */
export const oneIn = ({ options: { artifacts } }: Pick<Stage, 'options'>): number =>
  Math.min(1000, FIRST_ID + 2 * Math.floor(artifacts / 2) - 1);
const CONNECTIONS = 50;
const WRITERS = { count: 16, pauseMs: 0 };

/** About as many as the cache of answers holds. */
const SPREAD = 6000;

export function othersIn({ options: { artifacts } }: Stage): readonly string[] {
  const step = Math.max(1, Math.floor(artifacts / SPREAD));
  const count = Math.min(SPREAD, artifacts);
  return Array.from({ length: count }, (_, nth) => `/api/artifacts/${FIRST_ID + nth * step}`);
}

export const getOne: Row = {
  name: 'get',
  async measure(stage) {
    const others = othersIn(stage);
    const again = () => measured(stage, 'one artifact again and again', 0.6);
    const inTurn = () => measured(stage, `${others.length} artifacts in turn`, 0.35, others);
    const alone = [...(await again()), ...(await inTurn())];
    const began = performance.now();
    const { result, writes } = await besideWriters(stage, await stage.service(), WRITERS, async () => [
      ...(await again()),
      ...(await inTurn()),
    ]);
    const rate = fixed((1000 * writes) / (performance.now() - began), 0);
    const beside = `${WRITERS.count} writers beside, ${rate} writes/s`;
    return [...alone, ...result.map((row) => ({ ...row, what: `${row.what}, ${beside}` }))];
  },
};

async function measured(
  stage: Stage,
  what: string,
  goal: number,
  paths?: readonly string[],
): Promise<readonly Measured[]> {
  const { url, pid, headers } = await stage.service();
  const path = `/api/artifacts/${oneIn(stage)}`;
  const body = await textAt(`${url}${path}`, headers);
  const bare = await stage.bareKoa({ answers: { '/api/artifacts/:id': body }, posted: '' });
  const load = { connections: CONNECTIONS, headers, ...(paths && { paths }) };
  const [service, koa] = await inTurn(stage.options, [
    { name: 'service', pid, load: { ...load, url: `${url}${path}` } },
    { name: 'bare Koa', pid: bare.pid, load: { ...load, url: `${bare.url}${path}` } },
  ]);
  await bare.stop();
  if (service === undefined || koa === undefined) return [];
  return [
    {
      what: `${what}, ${body.length} bytes`,
      ratio: ratioOf(service, koa),
      goal: `≥ ${goal}`,
      figures: `${described(service)}; ${described(koa)}`,
    },
    { what: 'its p99', ratio: ratioOf(service, koa, 'p99'), goal: '≤ 3', figures: '' },
  ];
}
