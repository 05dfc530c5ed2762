/** The service beside PocketBase: the same artifacts, the same requests, the same durability. */
import { join } from 'node:path';
import { cpuSeconds, proportionalMemory } from '../children.js';
import { described, inTurn, ratioOf } from '../compare.js';
import { HOW_TO_BUILD, isBuilt, seedPocketBase, signedInto, startPocketBase } from '../peers/pocketbase.js';
import { type Comparison, expanded, filters, gets, pages, type Sides } from '../peers/comparisons.js';
import { posts, puts } from '../peers/writes.js';
import { type RunningService, type Stage, startProcess } from '../stage.js';
import { median } from '../statistics.js';
import { fixed, type Measured, whole, withSpread } from '../table.js';
import { type Row } from './row.js';

/** Rows of one run have the same two servers. */
const sidesOf = new WeakMap<Stage, Promise<Sides>>();

const directoryOf = (stage: Stage): string => join(stage.directory, '..', 'pocketbase');

async function started(stage: Stage): Promise<Sides> {
  const service = await stage.service();
  await seedPocketBase(directoryOf(stage), stage.options.artifacts);
  const running = await startPocketBase(directoryOf(stage));
  return { service, peer: { ...running, headers: await signedInto(running.url) } };
}

function rowOf(name: string, measure: (stage: Stage, sides: Sides) => Promise<readonly Measured[]>): Row {
  const named = { name: `pocketbase-${name}`, onRequest: true } as const;
  if (!isBuilt()) return { ...named, ownPlatform: true, measure: () => Promise.resolve(howToBuild.splice(0)) };
  return {
    ...named,
    async measure(stage) {
      const sides = sidesOf.get(stage) ?? started(stage);
      sidesOf.set(stage, sides);
      return measure(stage, await sides);
    },
  };
}

/** For the first row of a run. */
const howToBuild: Measured[] = [{ what: 'no binary', ratio: '', goal: '', figures: `Build it: ${HOW_TO_BUILD}` }];

type Compare = (stage: Stage, sides: Sides) => Promise<readonly Comparison[]>;

function comparing(name: string, comparisons: Compare): Row {
  return rowOf(name, async (stage, sides) => {
    const measured: Measured[] = [];
    for (const comparison of await comparisons(stage, sides)) measured.push(await compared(stage, sides, comparison));
    return measured;
  });
}

/** Reads first, because writes change what they find. The last stops both servers. */
export const pocketBase: readonly Row[] = [
  comparing('get', gets),
  comparing('page', pages),
  comparing('expand', expanded),
  comparing('filter', filters),
  comparing('put', puts),
  comparing('post', posts),
  rowOf('start', async (stage, { service, peer }) => {
    const memory = asMemory('after the loads', proportionalMemory(service.pid), proportionalMemory(peer.pid));
    await peer.stop();
    await stage.stopService();
    return [memory, ...(await starts(stage, directoryOf(stage)))];
  }),
];

async function compared(stage: Stage, { service, peer }: Sides, comparison: Comparison): Promise<Measured> {
  const [ours, theirs] = await inTurn(stage.options, [
    { name: 'service', pid: service.pid, load: comparison.service },
    { name: 'PocketBase', pid: peer.pid, load: comparison.peer },
  ]);
  if (ours === undefined || theirs === undefined) throw new Error('A side was not measured');
  return {
    what: comparison.what,
    ratio: ratioOf(ours, theirs),
    goal: '',
    figures: [described(ours), described(theirs), ...comparison.bytes].join('; '),
  };
}

const STARTS = 5;

type Started = Pick<RunningService, 'pid' | 'startedIn' | 'stop'>;

async function starts(stage: Stage, directory: string): Promise<readonly Measured[]> {
  const own = () => startProcess(stage.options.dist, stage.directory, {});
  const theirs = () => startPocketBase(directory);
  const figures = { own: [] as Figures[], theirs: [] as Figures[] };
  for (let nth = 0; nth < STARTS; nth += 1) {
    figures.own.push(await figuresOf(await own()));
    figures.theirs.push(await figuresOf(await theirs()));
  }
  const of = (which: keyof Figures) => [medianOf(figures.own, which), medianOf(figures.theirs, which)] as const;
  const [[ours, other], [cpu, otherCpu]] = [of('ms'), of('cpuMs')];
  return [
    {
      what: 'start until ready',
      ratio: withSpread(figures.own.map(({ ms }, nth) => (figures.theirs[nth]?.ms ?? Number.NaN) / ms)),
      goal: '',
      figures: `service ${whole(ours)} ms, ${whole(cpu)} ms of processor time; PocketBase ${whole(other)} ms, ${whole(otherCpu)} ms`,
    },
    asMemory('at rest, after a start', ...of('mib')),
  ];
}

interface Figures {
  readonly ms: number;
  readonly cpuMs: number;
  readonly mib: number;
}

async function figuresOf({ pid, startedIn, stop }: Started): Promise<Figures> {
  const figures = { ms: startedIn, cpuMs: cpuSeconds(pid) * 1000, mib: proportionalMemory(pid) };
  await stop();
  return figures;
}

const medianOf = (figures: readonly Figures[], which: keyof Figures): number =>
  median(figures.map((each) => each[which]));

function asMemory(when: string, ours: number, theirs: number): Measured {
  return {
    what: `memory ${when}`,
    ratio: fixed(theirs / ours),
    goal: '',
    figures: `service ${whole(ours)} MiB; PocketBase ${whole(theirs)} MiB, proportional set size`,
  };
}
