/** GET with one `api` process and with two, in turn. */
import { ratioOf } from '../compare.js';
import { othersIn } from '../rows/get-one.js';
import { spread } from '../rows/pages.js';
import { type RunningService } from '../stage.js';
import { whole, type Measured } from '../table.js';
import { type Installation } from './installation.js';
import { atRest, CONNECTIONS, described, loaded, medianLoad, pidsOf, WARM_UP_S, type Load } from './load.js';

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
  installation: Installation,
  both: readonly RunningService[],
  what: string,
  paths: readonly string[],
): Promise<Measured> {
  const { api, stage } = installation;
  const { rounds, seconds } = stage.options;
  const pids = pidsOf(installation, both);
  const load = (services: readonly RunningService[], forSeconds: number): Promise<Load> => {
    const url = services.map((one) => one.url);
    return loaded({ url, connections: CONNECTIONS, headers: api.headers, paths, seconds: forSeconds }, pids);
  };
  const samples = { one: [] as Load[], two: [] as Load[] };
  await load(both, WARM_UP_S);
  const rest = await atRest(pids['api'] ?? []);
  for (let round = 0; round < rounds; round += 1) {
    samples.one.push(await load([api], seconds));
    samples.two.push(await load(both, seconds));
  }
  const [one, two] = [medianLoad(samples.one), medianLoad(samples.two)];
  return {
    what: `${what}, two api by one`,
    ratio: ratioOf(two, one),
    goal: '',
    figures:
      `one: ${described(one)}; two: ${described(two)}; ` +
      `the api at rest ${whole(rest / 1000)} ms a second; ` +
      `by a second of processor time of api beyond that: ${whole(ofOwn(one, rest))} and ${whole(ofOwn(two, rest))}`,
  };
}

/** Requests that the `api` processes alone would answer with one processor. */
const ofOwn = ({ cpu, perSecond }: Load, rest: number): number => 1e6 / ((cpu['api'] ?? NaN) - rest / perSecond);
