/** The service, or a command, as a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { compiled } from './build.js';
import { client, type Client } from './client.js';
import { storesOf } from './stores.js';

export type Environment = Readonly<Record<string, string>>;

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Standard output, where every line has to be JSON. */
  readonly lines: () => readonly Record<string, unknown>[];
  /** Resolves when standard output or error matches; rejects when the process has ended without. */
  says(pattern: RegExp): Promise<void>;
  readonly ended: Promise<Ended>;
  /** Sends the signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Ended>;
}

export interface ServiceProcess extends Running, Client {
  readonly port: number;
}

/** For a start over a directory that has its platform. */
export const NO_FILE = { PLATFORM_FILE: '' };

export const PLATFORM_FILE = fileURLToPath(new URL('platform.yaml', import.meta.url));

const running = new Set<ChildProcess>();

/** For the end of a spec file, however its specs went. */
export async function killAll(): Promise<void> {
  await Promise.all(
    [...running].filter(isAlive).map(async (child) => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }),
  );
}

/** One that has ended, and whose output is still read, does not tell its end again. */
const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

/** Starts the program, with these variables and no others that it looks at. */
export function run(args: readonly string[], env: Environment, cwd?: string, release = compiled('.')): Running {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [join(release, 'src/cli/tracker-ledger.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, ...env },
    ...(cwd !== undefined && { cwd }),
  });
  running.add(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return { code: code as number | null, signal: signal as string | null };
  });
  return {
    child,
    stdout: () => out,
    stderr: () => err,
    lines: () =>
      out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    says: async (pattern) => {
      let over = false;
      while (!pattern.test(out) && !pattern.test(err)) {
        if (over) throw new Error(`The process ended without ${String(pattern)}:\n${out}\n${err}`);
        const heard = new AbortController();
        const data = (output: Readable): Promise<boolean> =>
          once(output, 'data', { signal: heard.signal }).then(
            () => false,
            () => false,
          );
        over = await Promise.race([ended.then(() => true), data(child.stdout), data(child.stderr)]);
        heard.abort();
      }
    },
    ended,
    kill: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

export async function startService(dataDir: string, env: Environment = {}): Promise<ServiceProcess> {
  const stores = await storesOf(dataDir);
  return ready(launch(dataDir, { ...stores.env, ...env }));
}

/** Resolves when the service says that it is ready. */
export async function ready(service: Running): Promise<ServiceProcess> {
  await service.says(/"msg":"ready"/);
  return listening(service);
}

/** The same for one that has started, but cannot serve all of its read models. */
export async function unready(service: Running): Promise<ServiceProcess> {
  await service.says(/"msg":"started, but not ready/);
  return listening(service);
}

/** Does not wait for anything. */
export function launch(dataDir: string, env: Environment = {}, release?: string): Running {
  return run(['start'], { DATA_DIR: dataDir, PORT: '0', NODE_ENV: 'test', PLATFORM_FILE, ...env }, undefined, release);
}

/** Of a process that has said that it listens. */
function listening(service: Running): ServiceProcess {
  const port = Number(service.lines().find(({ msg }) => msg === 'listening')?.['port']);
  return { ...service, port, ...client(`http://127.0.0.1:${port}`) };
}

/** Runs a command to its end. */
export async function command(
  args: readonly string[],
  env: Environment,
  release?: string,
): Promise<Ended & { readonly stdout: string; readonly stderr: string }> {
  const process = run(args, env, undefined, release);
  const ended = await process.ended;
  return { ...ended, stdout: process.stdout(), stderr: process.stderr() };
}
