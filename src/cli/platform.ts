/** tracker-ledger platform plan|apply|export|schema: the platform described in a file. */
import { exportedText } from '../platform-file/export/export.js';
import { stepsOf, type Outcome } from '../platform-file/format/outcome.js';
import { parsePlatformFile } from '../platform-file/format/platform-file.js';
import { platformSchema } from '../platform-file/format/platform-schema.js';
import { readPlatformFile } from '../platform-file/format/read-platform-file.js';
import { operate } from './operate.js';

/** Exit status of a plan that would change something. */
const SOMETHING = 2;

export interface Pruning {
  readonly prune: boolean;
  readonly force: boolean;
}

export function printSchema(): void {
  print(JSON.stringify(platformSchema, null, 2));
}

export async function printPlatform(): Promise<void> {
  const exported = (await operate('export', {})) as object;
  print(exportedText(exported));
}

export async function change(command: 'plan' | 'apply', file: string, { prune, force }: Pruning): Promise<void> {
  const text = readPlatformFile(file);
  const parsed = parsePlatformFile(text);
  const input = { file: parsed.file, prune, force, env: namedVariables(text) };
  const steps = stepsOf((await operate(command, input)) as Outcome, parsed);
  for (const step of steps) print(step);
  if (steps.length === 0) print('Nothing to change');
  else if (command === 'plan') process.exitCode = SOMETHING;
}

/** Passwords may be in variables of the command, which the service does not have. */
function namedVariables(text: string): Readonly<Record<string, string | undefined>> {
  const names = [...text.matchAll(/password_env["']?\s*:\s*["']?([A-Za-z_]\w*)/g)].flatMap(([, name]) => name ?? []);
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
