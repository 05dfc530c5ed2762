/** Whether the projections that a command over servers needs have workers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Service } from '../composition/service.js';
import { bounded, type Outlook, type WaitingTiming } from './waiting.js';

export class Unattended extends Error {
  override readonly name = 'Unattended';
}

export interface Attendance {
  readonly command: string;
  /** Of a rebuild, `names` are the projections that the command needs. Other commands need all. */
  readonly input: unknown;
  readonly unattendedMs: number;
  readonly say: (line: string) => void;
  readonly timing: WaitingTiming;
  /** Aborts once the command has ended. */
  readonly over: AbortSignal;
}

const LOOK_EVERY_MS = 200;

/** These append nothing. */
const READING: readonly string[] = ['plan', 'export'];

/** Resolves once the command can leave the projections to workers. Throws Unattended if one has had none for so long. */
export async function attended({ projections }: Pick<Service, 'projections'>, given: Attendance): Promise<void> {
  const { command, input, unattendedMs, say, timing, over } = given;
  const { names = [] } = input as { readonly names?: readonly string[] };
  const missing = async (): Promise<readonly string[]> =>
    (await projections.status())
      .filter(({ isUnattended }) => isUnattended === true)
      .map(({ projection }) => projection)
      .filter((name) => names.length === 0 || names.includes(name));
  const workers = workersFor(missing, unattendedMs, over);
  const work = READING.includes(command) ? Promise.race([workers, projections.ready]) : workers;
  const look = async (): Promise<Outlook> => ({ words: `none for ${(await missing()).join(', ')}`, signs: [] });
  await bounded(work, { until: 'each projection has a worker', look, say }, timing);
}

async function workersFor(
  missing: () => Promise<readonly string[]>,
  unattendedMs: number,
  over: AbortSignal,
): Promise<void> {
  const since = new Map<string, number>();
  for (;;) {
    const names = await missing();
    if (names.length === 0) return;
    if (longestAbsence(since, names) > unattendedMs) {
      throw new Unattended('A projection has no worker: this command does the work of one until it ends');
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: over });
  }
}

/** How long one of these has been missing, at most. `since`: when the absence of each was first seen. */
export function longestAbsence(since: Map<string, number>, missing: readonly string[]): number {
  const now = performance.now();
  for (const name of since.keys()) if (!missing.includes(name)) since.delete(name);
  for (const name of missing) if (!since.has(name)) since.set(name, now);
  return now - Math.min(now, ...since.values());
}
