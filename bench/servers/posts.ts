/** New artifacts through the service, beside the clients of the servers alone, in turn. */
import { runJob } from '../children.js';
import { postOf } from '../rows/writes.js';
import { median } from '../statistics.js';
import { fixed, whole, withSpread, type Measured } from '../table.js';
import { type BareClientsInput, type BareClientsResult } from './bare-clients.js';
import { installed, type Installation } from './installation.js';
import { described, loaded, medianLoad, pidsOf, type Load, type Loads } from './load.js';

const MANY = 32;

/** Before that, much of the code of a write has not been compiled. */
const WARM_UP_S = 20;

/** Many come first: one client makes so few requests that their code would not be compiled. */
export async function posts(installation: Installation): Promise<readonly Measured[]> {
  return [await postsOf(installation, MANY), await postsOf(installation, 1)];
}

/** With the projections in the process that serves. */
export async function postsOfOneProcess({ stage }: Installation): Promise<readonly Measured[]> {
  const together = await installed(stage, 'all');
  const measured = await posts(together);
  await together.stop();
  return measured.map((row) => ({ ...row, what: `${row.what}, one process for all` }));
}

async function postsOf(installation: Installation, clients: number): Promise<Measured> {
  const { stage, api, urls } = installation;
  const { rounds, seconds } = stage.options;
  const load = await postOf(stage, clients);
  const pids = pidsOf(installation, [api]);
  const services: Load[] = [];
  const bares: BareClientsResult[] = [];
  await loaded({ ...load, seconds: WARM_UP_S }, pids);
  for (let round = 0; round < rounds; round += 1) {
    services.push(await loaded({ ...load, seconds }, pids));
    const input: BareClientsInput = { ...urls, atOnce: MANY, seconds };
    bares.push(await runJob<BareClientsResult>('bare-clients', input));
  }
  return clients === 1 ? one(medianLoad(services), bares) : many(medianLoad(services), bares);
}

function one(service: Loads, bares: readonly BareClientsResult[]): Measured {
  const [append, write] = [median(bares.map((bare) => bare.append)), median(bares.map((bare) => bare.write))];
  return {
    what: 'POST, one client, by the time of both calls',
    ratio: withSpread(service.rounds.map(({ p50 }, nth) => p50 / callsOf(bares[nth]))),
    goal: '≤ 3',
    figures: `${described(service)}; bare append ${fixed(append)} ms, majority write ${fixed(write)} ms`,
  };
}

/** Milliseconds of an append and a write, one after the other. */
const callsOf = (bare: BareClientsResult | undefined): number =>
  (bare?.append ?? Number.NaN) + (bare?.write ?? Number.NaN);

function many(service: Loads, bares: readonly BareClientsResult[]): Measured {
  const appends = median(bares.map(({ appendsPerSecond }) => appendsPerSecond));
  return {
    what: `POST, ${MANY} clients, by appends`,
    ratio: withSpread(
      service.rounds.map(({ perSecond }, nth) => perSecond / (bares[nth]?.appendsPerSecond ?? Number.NaN)),
    ),
    goal: '≥ 0.4',
    figures: `${described(service)}; bare appends, ${MANY} at once ${whole(appends)}/s`,
  };
}
