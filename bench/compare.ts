/** Loads in turn, A B A B, so that what else the machine does meets all of them alike. */
import { cpuSecondsOfAll, runJob } from './children.js';
import { type LoadInput, type LoadResult } from './jobs/load.js';
import { type Options } from './options.js';
import { median } from './statistics.js';
import { fixed, whole } from './table.js';

export interface Side {
  readonly name: string;
  /** Of the server. */
  readonly pid: number;
  readonly load: Omit<LoadInput, 'seconds'>;
}

/** Medians of all rounds. */
export interface Sample {
  readonly name: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time that the server spent on one request. */
  readonly cpu: number;
}

/** Or as long as what is measured, if that is less. */
const WARM_UP_S = 2;

export async function inTurn({ rounds, seconds }: Options, sides: readonly Side[]): Promise<readonly Sample[]> {
  for (const side of sides) await warmedUp(side, Math.min(WARM_UP_S, seconds));
  const samples = sides.map((): Omit<Sample, 'name'>[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, side] of sides.entries()) samples[index]?.push(await once(side, seconds));
  }
  return sides.map(({ name }, index) => {
    const of = (figure: (sample: Omit<Sample, 'name'>) => number): number =>
      median((samples[index] ?? []).map((sample) => figure(sample)));
    return {
      name,
      perSecond: of(({ perSecond }) => perSecond),
      p50: of(({ p50 }) => p50),
      p99: of(({ p99 }) => p99),
      cpu: of(({ cpu }) => cpu),
    };
  });
}

/** What is asked for in turn has been asked for once. */
async function warmedUp(side: Side, seconds: number): Promise<void> {
  await once(side, seconds);
  const { paths = [] } = side.load;
  if (paths.length > 0) await runJob('load', { ...side.load, seconds: 0, amount: paths.length });
}

async function once({ pid, load }: Side, seconds: number): Promise<Omit<Sample, 'name'>> {
  const before = cpuSecondsOfAll(pid);
  const { perSecond, p50, p99, requests } = await runJob<LoadResult>('load', { ...load, seconds });
  return { perSecond, p50, p99, cpu: ((cpuSecondsOfAll(pid) - before) * 1e6) / requests };
}

export function described({ name, perSecond, p50, p99, cpu }: Sample): string {
  return `${name} ${whole(perSecond)}/s, ${fixed(p50)} / ${fixed(p99)} ms, ${whole(cpu)} µs`;
}
