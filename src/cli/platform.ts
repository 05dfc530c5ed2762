/** npm run platform -- plan|apply|export|schema: the platform described in a file. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { platformSchema } from '../platform/platform-schema.js';
import { fail, operate } from './operate.js';

const USAGE = `Usage:
  npm run platform -- plan FILE [--prune [--force]]    what applying the file would change; exit 0 for nothing, 2 for something
  npm run platform -- apply FILE [--prune [--force]]   applies it
  npm run platform -- export    the present platform as such a file, without passwords
  npm run platform -- schema    the JSON Schema of the file
What a file does not name stays as it is. A change that lets more people read or write is marked: [widens access].
--prune: what a list of the file leaves out is suspended, unused or deleted; nothing leaves the log
--force: also the last site administrator`;

/** Exit status of a plan that would change something. */
const SOMETHING = 2;

interface Pruning {
  readonly prune: boolean;
  readonly force: boolean;
}

async function run(command: string | undefined, file: string | undefined, pruning: Pruning): Promise<void> {
  if (command === 'schema') print(JSON.stringify(platformSchema, null, 2));
  else if (command === 'export') print(String(await operate('export', {})));
  else if ((command === 'plan' || command === 'apply') && file !== undefined) await change(command, file, pruning);
  else throw new Error(USAGE);
}

async function change(command: 'plan' | 'apply', file: string, pruning: Pruning): Promise<void> {
  const text = readFileSync(file, 'utf8');
  const steps = (await operate(command, { text, ...pruning, env: namedVariables(text) })) as readonly string[];
  for (const step of steps) print(step);
  if (steps.length === 0) print('Nothing to change');
  else if (command === 'plan') process.exitCode = SOMETHING;
}

/** Passwords may stand in variables of whoever gives the command, which the service has not. */
function namedVariables(text: string): Readonly<Record<string, string | undefined>> {
  const names = [...text.matchAll(/password_env["']?\s*:\s*["']?([A-Za-z_]\w*)/g)].flatMap(([, name]) => name ?? []);
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { prune: { type: 'boolean', default: false }, force: { type: 'boolean', default: false } },
  });
  if (values.force && !values.prune) throw new Error(`--force is for --prune alone\n${USAGE}`);
  await run(positionals[0], positionals[1], values);
} catch (error) {
  fail(error);
}
