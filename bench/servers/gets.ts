/** GET beside bare Koa that answers the same bytes, and pages beside first pages. */
import { ratioOf } from '../compare.js';
import { oneIn, othersIn } from '../rows/get-one.js';
import { pathOf, questionsOf, spread } from '../rows/pages.js';
import { textAt, type Stage } from '../stage.js';
import { besideWriters } from '../writers.js';
import { fixed, type Measured } from '../table.js';
import { type Installation } from './installation.js';
import {
  CONNECTIONS,
  described,
  loaded,
  medianLoad,
  pidsOf,
  WARM_UP_S,
  type Load,
  type Loads,
  type Pids,
} from './load.js';

interface Kind {
  readonly what: string;
  readonly goal: string;
  /** Of bare Koa. */
  readonly route: string;
  readonly paths: readonly string[];
}

const WRITERS = { count: 2, pauseMs: 50 };
const ONE = '/api/artifacts/:id';
const PAGE = '/api/trackers/:id/artifacts';

export async function gets(installation: Installation): Promise<readonly Measured[]> {
  const { stage } = installation;
  const [others, pages] = [othersIn(stage), spread(stage, {})];
  const kinds: readonly Kind[] = [
    { what: 'one artifact again and again', goal: '≥ 0.6', route: ONE, paths: [`/api/artifacts/${oneIn(stage)}`] },
    { what: `${others.length} artifacts in turn`, goal: '≥ 0.35', route: ONE, paths: others },
    { what: 'page of 50 again and again', goal: '≥ 0.5', route: PAGE, paths: [pathOf(stage, {})] },
    { what: `${pages.length} pages in turn`, goal: '≥ 0.3', route: PAGE, paths: pages },
  ];
  const all = async (): Promise<readonly Measured[]> => {
    const measured: Measured[] = [];
    for (const kind of kinds) measured.push(await againstKoa(installation, kind));
    return measured;
  };
  const alone = await all();
  const began = performance.now();
  const { result, writes } = await besideWriters(stage, installation.api, WRITERS, all);
  const rate = fixed((1000 * writes) / (performance.now() - began), 0);
  return [
    ...alone,
    ...result.map((row) => ({ ...row, what: `${row.what}, ${WRITERS.count} writers beside, ${rate} writes/s` })),
  ];
}

async function againstKoa(installation: Installation, { what, goal, route, paths }: Kind): Promise<Measured> {
  const { api, stage } = installation;
  const answer = await textAt(`${api.url}${paths[0] ?? ''}`, api.headers);
  const bare = await stage.bareKoa({ answers: { [route]: answer }, posted: '' });
  const load = { connections: CONNECTIONS, headers: api.headers, ...inTurn(paths) };
  const [service, koa] = await alternately(stage, [
    { load: { ...load, url: `${api.url}${paths[0] ?? ''}` }, pids: pidsOf(installation, [api]) },
    { load: { ...load, url: `${bare.url}${paths[0] ?? ''}` }, pids: { 'bare Koa': [bare.pid] } },
  ]);
  await bare.stop();
  return {
    what: `GET ${what}`,
    ratio: ratioOf(service!, koa!, 'perSecond', 3),
    goal,
    figures: `${described(service!)}; bare Koa: ${described(koa!)}`,
  };
}

/** The load generator takes one path from the URL. */
const inTurn = (paths: readonly string[]) => (paths.length === 1 ? {} : { paths });

/** One client at a time. Only the questions that have a goal, and what they are compared with. */
export async function times(installation: Installation): Promise<readonly Measured[]> {
  const { api, stage } = installation;
  const questions = questionsOf(stage).filter(({ goal }, index) => index === 0 || goal !== '');
  const pids = pidsOf(installation, [api]);
  const samples = await alternately(
    stage,
    questions.map(({ paths }) => ({ load: { url: api.url, connections: 1, headers: api.headers, paths }, pids })),
  );
  return questions.map(({ what, goal }, index) => ({
    what: `GET ${what}`,
    ratio: ratioOf(samples[index]!, samples[0]!, 'p50'),
    goal,
    figures: described(samples[index]!),
  }));
}

interface Side {
  readonly load: Omit<Parameters<typeof loaded>[0], 'seconds'>;
  readonly pids: Pids;
}

/** Medians of each side. */
async function alternately({ options }: Stage, sides: readonly Side[]): Promise<readonly Loads[]> {
  for (const { load, pids } of sides) await loaded({ ...load, seconds: WARM_UP_S }, pids);
  const samples = sides.map((): Load[] => []);
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [index, { load, pids }] of sides.entries()) {
      samples[index]!.push(await loaded({ ...load, seconds: options.seconds }, pids));
    }
  }
  return samples.map(medianLoad);
}
