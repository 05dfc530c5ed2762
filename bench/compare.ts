/** Loads in turn, A B A B, so that what else the machine does meets all of them alike. */
import { cpuSecondsOfAll, runJob } from './children.js';
import { type LoadInput, type LoadResult } from './jobs/load.js';
import { type Options } from './options.js';
import { median } from './statistics.js';
import { fixed, whole, withSpread } from './table.js';

export interface Side {
  readonly name: string;
  /** Of the server. */
  readonly pid: number;
  readonly load: Omit<LoadInput, 'seconds'>;
}

interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time that the server spent on one request. */
  readonly cpu: number;
}

/** Medians of all rounds. */
export interface Sample extends Figures {
  readonly name: string;
  readonly rounds: readonly Figures[];
}

/** Or as long as what is measured, if that is less. */
const WARM_UP_S = 2;

export async function inTurn({ rounds, seconds }: Options, sides: readonly Side[]): Promise<readonly Sample[]> {
  for (const side of sides) await warmedUp(side, Math.min(WARM_UP_S, seconds));
  const samples = sides.map((): Figures[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, side] of sides.entries()) samples[index]?.push(await once(side, seconds));
  }
  return sides.map(({ name }, index) => {
    const all = samples[index] ?? [];
    const of = (figure: keyof Figures): number => median(all.map((sample) => sample[figure]));
    return { name, rounds: all, perSecond: of('perSecond'), p50: of('p50'), p99: of('p99'), cpu: of('cpu') };
  });
}

type Compared = 'perSecond' | 'p50' | 'p99';

interface Rounds {
  readonly rounds: readonly Readonly<Record<Compared, number>>[];
}

/** A figure of one side by that of the other, each round by itself. */
export const ratioOf = (one: Rounds, other: Rounds, figure: Compared = 'perSecond', digits = 2): string =>
  withSpread(
    one.rounds.map((round, nth) => round[figure] / (other.rounds[nth]?.[figure] ?? Number.NaN)),
    digits,
  );

/** What is asked for in turn has been asked for once. */
async function warmedUp(side: Side, seconds: number): Promise<void> {
  await once(side, seconds);
  const { paths = [] } = side.load;
  if (paths.length > 0) await runJob('load', { ...side.load, seconds: 0, amount: paths.length });
}

async function once({ pid, load }: Side, seconds: number): Promise<Figures> {
  const before = cpuSecondsOfAll(pid);
  const { perSecond, p50, p99, requests } = await runJob<LoadResult>('load', { ...load, seconds });
  return { perSecond, p50, p99, cpu: ((cpuSecondsOfAll(pid) - before) * 1e6) / requests };
}

export function described({ name, perSecond, p50, p99, cpu }: Sample): string {
  return `${name} ${whole(perSecond)}/s, ${fixed(p50)} / ${fixed(p99)} ms, ${whole(cpu)} µs`;
}
