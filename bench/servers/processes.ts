/** GET with one `api` process and with two, in turn. */
import { type LoadInput } from '../jobs/load.js';
import { othersIn } from '../rows/get-one.js';
import { spread } from '../rows/pages.js';
import { type RunningService } from '../stage.js';
import { fixed, whole, type Measured } from '../table.js';
import { type Installation } from './installation.js';
import { described, loaded, medianLoad, type Load } from './load.js';

const CONNECTIONS = 50;
const WARM_UP_S = 2;

export async function processes(installation: Installation): Promise<readonly Measured[]> {
  const { api, stage } = installation;
  const second = await installation.startApi();
  const both = [api, second];
  const [artifacts, pages] = [othersIn(stage), spread(stage, {})];
  const measured = [
    await oneAndTwo(installation, both, `GET ${artifacts.length} artifacts in turn`, artifacts),
    await oneAndTwo(installation, both, `GET ${pages.length} pages of 50 in turn`, pages),
  ];
  await second.stop();
  return measured;
}

async function oneAndTwo(
  { api, stage, others }: Installation,
  both: readonly RunningService[],
  what: string,
  paths: readonly string[],
): Promise<Measured> {
  const { rounds, seconds } = stage.options;
  const pids = {
    api: both.map(({ pid }) => pid),
    ...Object.fromEntries(Object.entries(others).map(([name, pid]) => [name, [pid]])),
  };
  const load = (services: readonly RunningService[], input: Partial<LoadInput>) => {
    const { headers } = api;
    const url = services.map((one) => one.url);
    return loaded({ url, connections: CONNECTIONS, headers, paths, seconds, ...input }, pids);
  };
  const samples = { one: [] as Load[], two: [] as Load[] };
  for (const services of [[api], both]) {
    await load(services, { seconds: WARM_UP_S });
    await load(services, { amount: 2 * paths.length });
  }
  for (let round = 0; round < rounds; round += 1) {
    samples.one.push(await load([api], {}));
    samples.two.push(await load(both, {}));
  }
  const [one, two] = [medianLoad(samples.one), medianLoad(samples.two)];
  return {
    what: `${what}, two api by one`,
    ratio: fixed(two.perSecond / one.perSecond),
    goal: '',
    figures:
      `one: ${described(one)}; two: ${described(two)}; ` +
      `a second of processor time of api: ${whole(ofOwn(one))} and ${whole(ofOwn(two))} requests`,
  };
}

/** What the `api` processes alone would answer with one processor. */
const ofOwn = ({ cpu }: Load): number => 1e6 / (cpu['api'] ?? NaN);
