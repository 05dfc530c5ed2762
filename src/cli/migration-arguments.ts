import { parseArgs } from 'node:util';
import { KINDS, type Kind } from '../composition/migration.js';

export const USAGE = `Usage:
  npm run migrate -- --from embedded --to production
  npm run migrate -- --from production --to embedded
Copies the log and the bytes of all files. Stop every service on either side first. What was cut short goes on where
it was; a target that holds anything but the beginning of the source is refused.
embedded:    DATA_DIR
production:  EVENTSTOREDB_URL, EVENTSTOREDB_PREFIX and MONGODB_URL, FILES_DIR where files are kept in a directory
Exit status: 0 both sides hold the same, 1 they do not, 2 they do, but somebody went on writing to the source`;

/** Where to migrate from, to the other kind; null where only help is asked for. */
export function migrationArguments(args: readonly string[]): Kind | null {
  const { values } = parseArgs({
    args: [...args],
    options: { from: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return null;
  const [from, to] = [kind('from', values.from), kind('to', values.to)];
  if (from === to) throw new Error(`--from and --to are both ${from}\n${USAGE}`);
  return from;
}

function kind(name: string, given: string | undefined): Kind {
  const found = KINDS.find((one) => one === given);
  if (found === undefined) throw new Error(`--${name} has to be one of ${KINDS.join(', ')}\n${USAGE}`);
  return found;
}
