/** tracker-ledger platform plan|apply|export|schema: the platform described in a file. */
import { exportedText } from '../platform-file/export/exported-text.js';
import { stepsOf, type Outcome } from '../platform-file/format/outcome.js';
import { isTooLarge, parsePlatformFile, TOO_LARGE } from '../platform-file/format/platform-file.js';
import { platformSchema, type PlatformFile } from '../platform-file/format/platform-schema.js';
import { readPlatformFile } from '../platform-file/format/read-platform-file.js';
import { operate } from './operate.js';
import { print } from './print.js';

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
  const text = exportedText(exported);
  for (const warning of warningsOf(text)) process.stderr.write(`${warning}\n`);
  print(text);
}

export const warningsOf = (exported: string): readonly string[] =>
  isTooLarge(exported) ? [`${TOO_LARGE}: plan and apply refuse the file`] : [];

export async function change(command: 'plan' | 'apply', file: string, { prune, force }: Pruning): Promise<void> {
  const parsed = parsePlatformFile(readPlatformFile(file));
  const input = { file: parsed.file, prune, force, env: namedVariables(parsed.file, process.env) };
  const steps = stepsOf((await operate(command, input)) as Outcome, parsed);
  for (const step of steps) print(step);
  if (steps.length === 0) print('Nothing to change');
  else if (command === 'plan') process.exitCode = SOMETHING;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Passwords may be in variables of the command, which the service does not have. */
export function namedVariables({ users = [] }: PlatformFile, env: Variables): Variables {
  const names = users.flatMap(({ password_env: name }) => name ?? []);
  return Object.fromEntries(names.filter((name) => Object.hasOwn(env, name)).map((name) => [name, env[name]]));
}
