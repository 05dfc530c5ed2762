/** What the rows are measured on: one seeded data directory, the service on it, and bare Koa beside it. */
import { type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../test/support/same-port.js';
import { ended, runJob, startJob, startProgram } from './children.js';
import { type BareInput } from './jobs/bare-koa.js';
import { type Seeded } from './jobs/seed.js';
import { type Options } from './options.js';
import { PASSWORD, READER } from './platform.js';

interface RunningServer {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

export interface RunningService extends RunningServer {
  /** Those of a project member who has signed in. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from the start of the process until it was ready. */
  readonly startedIn: number;
}

export interface Stage {
  readonly options: Options;
  readonly directory: string;
  readonly seeded: Seeded;
  /** Started by the first row that needs it. */
  service(): Promise<RunningService>;
  /** For rows that need the data directory for themselves. */
  stopService(): Promise<void>;
  bareKoa(input: BareInput): Promise<RunningServer>;
}

export async function withStage(options: Options, work: (stage: Stage) => Promise<void>): Promise<void> {
  const base = mkdtempSync(join(options.directory ?? tmpdir(), 'tracker-ledger-bench-'));
  process.once('exit', () => {
    rmSync(base, { recursive: true, force: true });
  });
  const directory = join(base, 'data');
  const seeded = await runJob<Seeded>('seed', { directory, artifacts: options.artifacts });
  let service: Promise<RunningService> | null = null;
  const stage: Stage = {
    options,
    directory,
    seeded,
    service: () => (service ??= startService(options.dist, directory, { prof: options.prof })),
    stopService: async () => {
      await (await service)?.stop();
      service = null;
    },
    bareKoa,
  };
  await work(stage);
  await stage.stopService();
}

async function bareKoa(input: BareInput): Promise<RunningServer> {
  const job = startJob('bare-koa', input);
  const url = `http://127.0.0.1:${String(await job.said)}`;
  return { url, pid: job.pid, stop: job.stop };
}

const READY_MS = 3_600_000;

interface ProcessOptions {
  readonly prof?: string | undefined;
  /** Of Node. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function startService(
  dist: string,
  directory: string,
  options: ProcessOptions = {},
): Promise<RunningService> {
  const running = await startProcess(dist, directory, options);
  return { ...running, headers: await signedIn(running.url, READER) };
}

/** Resolves once it is ready. */
export async function startProcess(
  dist: string,
  directory: string,
  { prof, args = [], env = {} }: ProcessOptions,
): Promise<Omit<RunningService, 'headers'>> {
  const port = await freePort();
  const began = performance.now();
  const own = { DATA_DIR: directory, PORT: String(port), HOST: '127.0.0.1', NODE_ENV: 'production' };
  const profiling = prof === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${prof}`];
  const program = join(dist, 'src/cli/tracker-ledger.js');
  const child = startProgram(process.execPath, [...profiling, ...args, program, 'start'], { ...own, ...env });
  const url = `http://127.0.0.1:${port}`;
  await ready(`${url}/health/ready`, child);
  return { url, pid: child.pid ?? 0, startedIn: performance.now() - began, stop: () => ended(child) };
}

/** Resolves once the URL is answered with 200. */
export async function ready(url: string, child: ChildProcess): Promise<void> {
  const began = performance.now();
  for (let waited = 0; waited < READY_MS; waited = performance.now() - began) {
    if (child.exitCode !== null) throw new Error(`${url}: the server has ended before it was ready`);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await setTimeout(Math.min(2 + waited / 100, 500));
  }
  throw new Error(`${url}: the server does not get ready`);
}

export async function signedIn(url: string, username: string): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(`${url}/api/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password: PASSWORD }),
  });
  const { token, user_id: userId } = (await answer.json()) as { token: string; user_id: string | number };
  return { 'X-Auth-Token': token, 'X-Auth-UserId': String(userId) };
}

export async function textAt(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.text();
}
