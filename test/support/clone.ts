/** A directory as a clone is after `npm ci`, as far as shell blocks and scripts use it; and a shell in it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compiled } from './build.js';
import { type Environment } from './process.js';

export interface Shell {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  /** Standard error; each command that failed is a line of its own: `status 2: npx tracker-ledger status`. */
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

export function makeClone(directory: string): void {
  copyFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), join(directory, 'package.json'));
  symlinkSync(compiled('.'), join(directory, 'dist'));
  // The real one builds the project: `npm.e2e.spec.ts` runs it.
  const npx = `#!/bin/sh\n[ "$1" = tracker-ledger ] && shift && exec node dist/src/cli/tracker-ledger.js "$@"\n`;
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'bin/npx'), npx);
  chmodSync(join(directory, 'bin/npx'), 0o755);
}

/** In a clone, with these variables and no others. The script goes on after a command that fails. */
export function shell(script: string, directory: string, env: Environment = {}): Shell {
  const { PATH = '' } = process.env;
  const traced = `trap 'echo "status $?: $BASH_COMMAND" >&2' ERR\n${script}`;
  const child = spawn('bash', ['-uo', 'pipefail', '-c', traced], {
    cwd: directory,
    env: {
      PATH: `${join(directory, 'bin')}:${PATH}`,
      npm_config_cache: join(directory, 'cache'),
      NODE_ENV: 'test',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, stdout: () => out, stderr: () => err, ended };
}

/** Runs a script that ends with a service until that is ready and was used, and ends it. Answers what was printed. */
export async function started(
  script: string,
  directory: string,
  env: Environment = {},
  use: (url: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const { child, stdout, stderr, ended } = shell(script, directory, { PORT: '0', ...env });
  const over = ended.then(() => true);
  while (!stdout().includes('"msg":"ready"')) {
    const isOver = await Promise.race([over, sleep(20, false)]);
    if (isOver) throw new Error(`The service ended before it was ready:\n${stdout()}\n${stderr()}`);
  }
  try {
    const [, port] = /"port":(\d+).*"msg":"listening"/.exec(stdout()) ?? [];
    await use(`http://127.0.0.1:${port}`);
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await ended;
  }
  return stdout();
}

/** The commands of a script that failed. */
export const failedIn = (stderr: string): readonly string[] =>
  [...stderr.matchAll(/^status (\d+: .*)$/gm)].map(([, failed]) => failed ?? '');
