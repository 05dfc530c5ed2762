/** One load, and the processor time that each process spends on a request. */
import { cpuSeconds, runJob } from '../children.js';
import { type LoadInput, type LoadResult } from '../jobs/load.js';
import { median } from '../statistics.js';
import { fixed, whole } from '../table.js';

/** Processes by the name under which they are added up. */
export type Pids = Readonly<Record<string, readonly number[]>>;

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds for one request, by the name of the processes. */
  readonly cpu: Readonly<Record<string, number>>;
}

const GENERATOR = 'load generator';

export async function loaded(input: LoadInput, pids: Pids): Promise<Load> {
  const before = used(pids);
  const { perSecond, p50, p99, requests, cpuSeconds: own } = await runJob<LoadResult>('load', input);
  const after = used(pids);
  const spent = Object.keys(pids).map((name) => [name, (after[name] ?? NaN) - (before[name] ?? NaN)] as const);
  const cpu = [...spent, [GENERATOR, own] as const].map(([name, seconds]) => [name, (seconds * 1e6) / requests]);
  return { perSecond, p50, p99, cpu: Object.fromEntries(cpu) as Load['cpu'] };
}

function used(pids: Pids): Readonly<Record<string, number>> {
  const all = Object.entries(pids).map(([name, some]) => [name, some.reduce((sum, pid) => sum + cpuSeconds(pid), 0)]);
  return Object.fromEntries(all) as Readonly<Record<string, number>>;
}

/** Medians of several. */
export function medianLoad(loads: readonly Load[]): Load {
  const names = Object.keys(loads[0]?.cpu ?? {});
  return {
    perSecond: median(loads.map(({ perSecond }) => perSecond)),
    p50: median(loads.map(({ p50 }) => p50)),
    p99: median(loads.map(({ p99 }) => p99)),
    cpu: Object.fromEntries(names.map((name) => [name, median(loads.map(({ cpu }) => cpu[name] ?? NaN))])),
  };
}

export function described({ perSecond, p50, p99, cpu }: Load): string {
  const parts = Object.entries(cpu).map(([name, micros]) => `${name} ${whole(micros)}`);
  const all = Object.values(cpu).reduce((sum, micros) => sum + micros, 0);
  return (
    `${whole(perSecond)}/s, ${fixed(p50)} / ${fixed(p99)} ms; µs: ${parts.join(', ')}; ` +
    `${fixed((all * perSecond) / 1e6, 1)} processors busy`
  );
}
