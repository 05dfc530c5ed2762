/** `npm run fuzz`: requests that Schemathesis makes from the description of the API, to the demo platform. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { DEMO_PASSWORD } from '../../src/demo/demo-platform.js';
import { killAll, ready, run, type ServiceProcess } from '../support/process.js';
import { pythonProgram } from '../support/python.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

export interface Fuzzing {
  readonly seconds: number;
  /** Repeats the requests of an earlier run. */
  readonly seed?: string | undefined;
}

export interface FuzzingResult {
  /** Of Schemathesis: 0 when it has found nothing. */
  readonly code: number;
  readonly requests: number;
  /** Lines of the service's log with the level error. */
  readonly errors: readonly string[];
}

const ERROR = 50;

/** Wrong credentials are answered 401, so that every 5xx is a defect. */
const SETTINGS = { NODE_ENV: 'test', PORT: '0', INVALID_CREDENTIALS_STATUS: '401' };

export async function fuzz(program: string, { seconds, seed }: Fuzzing): Promise<FuzzingResult> {
  const directory = await temporaryDirectory();
  try {
    const service = await ready(run(['start'], { ...SETTINGS, DATA_DIR: join(directory.path, 'data') }));
    for (const name of ['exceptions.py', 'schemathesis.toml']) {
      copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(directory.path, name));
    }
    const env = { ...process.env, ACCESS_KEY: await accessKey(service) };
    const limits = [
      '--max-time',
      String(seconds),
      '--continue-on-failure',
      ...(seed === undefined ? [] : ['--seed', seed]),
    ];
    const args = ['run', `${service.url}/api/openapi.json`, '--no-color', ...limits];
    const child = spawn(program, args, { cwd: directory.path, env, stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    const lines = service.lines();
    await service.kill('SIGTERM');
    return {
      code: code ?? 1,
      requests: lines.filter(({ msg }) => msg === 'request').length,
      errors: lines.filter(({ level }) => Number(level) >= ERROR).map((line) => JSON.stringify(line)),
    };
  } finally {
    await killAll();
    await directory.remove();
  }
}

async function accessKey(service: ServiceProcess): Promise<string> {
  const credentials = Buffer.from(`alice:${DEMO_PASSWORD}`).toString('base64');
  const headers = { Authorization: `Basic ${credentials}` };
  const made = await service.post('/access_keys', { headers, body: { description: 'Fuzzing' } });
  return (made.body as { readonly identifier: string }).identifier;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '120' }, seed: { type: 'string' } } });
  const program = pythonProgram('schemathesis');
  if (program === undefined) throw new Error('schemathesis is not installed: see CONTRIBUTING.md');
  const { code, requests, errors } = await fuzz(program, { seconds: Number(values.seconds), seed: values.seed });
  console.log(`${requests} requests, ${errors.length} errors in the log of the service`);
  console.log(errors.join('\n'));
  process.exitCode = errors.length > 0 ? 1 : code;
}

if (pathToFileURL(argv[1] ?? '').href === import.meta.url) await main();
