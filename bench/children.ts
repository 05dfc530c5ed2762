/** Everything that is measured, and everything that measures, runs in a process of its own. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const running = new Set<ChildProcess>();

function kept(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Ends what is left, however the benchmark ends. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** The input of a job, and the file of its result. */
export type Job = (input: never, say: (message: unknown) => void) => Promise<unknown>;

interface Message {
  readonly said?: unknown;
  readonly result?: unknown;
  readonly error?: string;
}

export interface RunningJob<Result> {
  readonly pid: number;
  /** The first thing that the job says before it ends. */
  readonly said: Promise<unknown>;
  readonly result: Promise<Result>;
  readonly stop: () => Promise<void>;
}

export function startJob<Result>(name: string, input: unknown, args: readonly string[] = []): RunningJob<Result> {
  const execArgv = ['--import', 'tsx', ...args];
  const child = kept(fork(new URL('main.ts', import.meta.url), ['job', name], { execArgv }));
  child.send({ input });
  const result = new Promise<Result>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if ('result' in message) resolve(message.result as Result);
      if (message.error !== undefined) reject(new Error(`${name}: ${message.error}`));
    });
    child.once('exit', (code) => {
      reject(new Error(`${name} ended with ${code ?? 'a signal'}`));
    });
  });
  result.catch(() => undefined);
  const said = new Promise<unknown>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if ('said' in message) resolve(message.said);
    });
    result.then(resolve, reject);
  });
  said.catch(() => undefined);
  return { pid: child.pid ?? 0, said, result, stop: () => ended(child) };
}

export async function runJob<Result>(name: string, input: unknown, args?: readonly string[]): Promise<Result> {
  const job = startJob<Result>(name, input, args);
  const result = await job.result;
  await job.stop();
  return result;
}

/** A job's side: waits for its input, does the work, reports. */
export function serveJob(job: Job): void {
  const send = (message: Message): void => {
    process.send?.(message);
  };
  process.once('message', ({ input }: { input: never }) => {
    job(input, (said) => {
      send({ said });
    }).then(
      (result) => {
        send({ result: result ?? null });
      },
      (error: unknown) => {
        send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      },
    );
  });
  // An exit writes the profile, a signal by itself does not.
  for (const end of ['disconnect', 'SIGTERM']) process.once(end, () => process.exit());
}

export function startProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  return kept(spawn(program, args, { env: { ...process.env, ...env }, stdio: [stdin, 'ignore', 'inherit'] }));
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exit;
  clearTimeout(impatience);
}

const TICKS_PER_SECOND = 100;

/** Processor time that a process has used so far, all threads together; NaN where the system does not tell. */
export function cpuSeconds(pid: number): number {
  const fields = procFile(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The same, with the processes that it has started. */
export function cpuSecondsOfAll(pid: number): number {
  const children = procFile(pid, `task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
  return children.reduce((sum, child) => sum + cpuSecondsOfAll(child), cpuSeconds(pid));
}

/** In MiB: its share of the memory that it holds. */
export function proportionalMemory(pid: number): number {
  const kib = /^Pss:\s+(\d+)/m.exec(procFile(pid, 'smaps_rollup'))?.[1];
  return Number(kib ?? Number.NaN) / 1024;
}

/** In MiB: what it holds now, or the most it ever held. */
export function memory(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const kib = new RegExp(`^${which}:\\s+(\\d+)`, 'm').exec(procFile(pid, 'status'))?.[1];
  return Number(kib ?? Number.NaN) / 1024;
}

/** Milliseconds for which the thread that serves has run so far: unlike a wait, hardly more on a busy machine. */
export function servingMs(pid: number): number {
  return Number(procFile(pid, `task/${pid}/schedstat`).split(' ')[0] || Number.NaN) / 1e6;
}

/** Empty where there is none. */
export function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
