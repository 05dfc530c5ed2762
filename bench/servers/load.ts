/** One load, and the processor time that each process spends on a request. */
import { setTimeout } from 'node:timers/promises';
import { cpuSeconds, runJob } from '../children.js';
import { type LoadInput, type LoadResult } from '../jobs/load.js';
import { type RunningService } from '../stage.js';
import { median } from '../statistics.js';
import { fixed, whole } from '../table.js';
import { type Installation } from './installation.js';

/** Of each connection or client, before anything is measured. */
export const WARM_UP_S = 4;
/** A process of the service reads for so many requests at once. */
export const CONNECTIONS = 16;

/** Processes by the name under which they are added up. */
export type Pids = Readonly<Record<string, readonly number[]>>;

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds for one request, by the name of the processes. */
  readonly cpu: Readonly<Record<string, number>>;
}

const REST_MS = 3000;
const GENERATOR = 'load generator';

export async function loaded(input: LoadInput, pids: Pids): Promise<Load> {
  const before = used(pids);
  const { perSecond, p50, p99, requests, cpuSeconds: own } = await runJob<LoadResult>('load', input);
  const after = used(pids);
  const spent = Object.keys(pids).map((name) => [name, (after[name] ?? NaN) - (before[name] ?? NaN)] as const);
  const cpu = [...spent, [GENERATOR, own] as const].map(([name, seconds]) => [name, (seconds * 1e6) / requests]);
  return { perSecond, p50, p99, cpu: Object.fromEntries(cpu) as Load['cpu'] };
}

/** All that have a part in a request of these processes. */
export function pidsOf({ others }: Pick<Installation, 'others'>, apis: readonly RunningService[]): Pids {
  const known = Object.entries(others).map(([name, pid]) => [name, [pid]] as const);
  return { api: apis.map(({ pid }) => pid), ...Object.fromEntries(known) };
}

/** Microseconds of processor time a second of some processes that nothing is asked of. */
export async function atRest(pids: readonly number[]): Promise<number> {
  const before = used({ all: pids })['all'] ?? NaN;
  await setTimeout(REST_MS);
  return (((used({ all: pids })['all'] ?? NaN) - before) * 1e9) / REST_MS;
}

function used(pids: Pids): Readonly<Record<string, number>> {
  const all = Object.entries(pids).map(([name, some]) => [name, some.reduce((sum, pid) => sum + cpuSeconds(pid), 0)]);
  return Object.fromEntries(all) as Readonly<Record<string, number>>;
}

/** Medians of several. */
export interface Loads extends Load {
  readonly rounds: readonly Load[];
}

export function medianLoad(loads: readonly Load[]): Loads {
  const names = Object.keys(loads[0]?.cpu ?? {});
  return {
    rounds: loads,
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
