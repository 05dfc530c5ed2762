/** The commands and their arguments. A command loads its modules when it runs. */
import { Command, Option } from 'commander';
import { type Kind } from '../composition/migration.js';
import { version } from '../config/version.js';
import { type Pruning } from './platform.js';
import { write } from './print.js';

const PLAN_STATUS = `
A change that lets more people read or write is marked: [widens access].
Exit status: 0 nothing to change, 2 something to change, 1 an error`;

const APPLY_STATUS = `
A change that lets more people read or write is marked: [widens access]. Nothing is applied unless all of the file is valid.
Exit status: 0 the platform is as the file says, 1 an error`;

const PRINT_STATUS = `
Exit status: 0 all is printed, 1 an error`;

const START_STATUS = `
Exit status: 0 stopped by a signal, 1 an error`;

const REBUILD_STATUS = `
Exit status: 0 all new read models are served, 1 one of them is not, or an error`;

const STATUS_STATUS = `
Exit status: 0 every projection runs, 2 a projection has stopped or no worker runs it, 1 an error`;

const PREPARE_STATUS = `
For stores in DATA_DIR; over servers, processes of this release do it when they start.
Exit status: 0 the read models are filled, 2 a projection has stopped, 1 an error`;

const MIGRATION = `
embedded    DATA_DIR
production  EVENTSTOREDB_URL, EVENTSTOREDB_PREFIX and MONGODB_URL; FILES_DIR if files are kept in a directory

Stop every service on both sides first. A migration that was cut short resumes. A target that holds anything but the
beginning of the source is refused.
Exit status: 0 both sides hold the same, 2 they do, but a client went on writing to the source, 1 an error or a difference`;

/** Commander ends with 1 if the arguments are wrong: 2 is a result of plan, status, prepare and migrate. */
export function program(): Command {
  const all = new Command('tracker-ledger')
    .description('A tracker with an event log: the service, and the commands that operate it')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: write })
    .showHelpAfterError('Use --help for the commands and options.')
    .addHelpText(
      'after',
      '\nThe environment (DATA_DIR, EVENTSTOREDB_URL, ...) names the service: see docs/configuration.md.',
    );
  all
    .command('start')
    .description('run the service until SIGTERM, SIGINT or SIGHUP')
    .addHelpText('after', START_STATUS)
    .action(async () => (await import('./start.js')).start());
  addPlatform(all);
  all
    .command('rebuild')
    .description('fill read models again from the log; the old ones serve until the new ones are verified')
    .argument('[projection...]', 'all of them if none is named; status lists them')
    .addHelpText('after', REBUILD_STATUS)
    .action(async (names: readonly string[]) => (await import('./rebuild.js')).rebuild(names));
  all
    .command('prepare')
    .description('before an upgrade: fill the read models of this release while the service of another one goes on')
    .addHelpText('after', PREPARE_STATUS)
    .action(async () => (await import('./prepare.js')).prepare());
  addMigrate(all);
  all
    .command('status')
    .description('list the projections, the streams that are unavailable and the interrupted work that fails')
    .addHelpText('after', STATUS_STATUS)
    .action(async () => (await import('./status.js')).printStatus());
  return all;
}

function addPlatform(all: Command): void {
  const platform = all.command('platform').description('plan, apply or export the platform that a file describes');
  addChange(platform, 'plan', 'list what applying the file would change', PLAN_STATUS);
  addChange(platform, 'apply', 'apply the file', APPLY_STATUS);
  platform
    .command('export')
    .description('print the present platform as such a file, without passwords')
    .addHelpText('after', PRINT_STATUS)
    .action(async () => (await import('./platform.js')).printPlatform());
  platform
    .command('schema')
    .description('print the JSON Schema of the file')
    .addHelpText('after', PRINT_STATUS)
    .action(async () => {
      const { printSchema } = await import('./platform.js');
      printSchema();
    });
}

function addChange(platform: Command, name: 'plan' | 'apply', description: string, status: string): void {
  platform
    .command(name)
    .description(description)
    .argument('<file>', 'YAML or JSON; what the file does not name stays as it is')
    .option('--prune', 'suspend, retire or delete what a list of the file leaves out; nothing leaves the log', false)
    .option('--force', 'with --prune: also suspend the last site administrator', false)
    .addHelpText('after', status)
    .action(async (file: string, pruning: Pruning, command: Command) => {
      if (pruning.force && !pruning.prune) command.error('error: --force is for --prune alone');
      await (await import('./platform.js')).change(name, file, pruning);
    });
}

function addMigrate(all: Command): void {
  const kinds: readonly Kind[] = ['embedded', 'production'];
  const stores = (flags: string, description: string): Option =>
    new Option(flags, description).choices(kinds).makeOptionMandatory();
  all
    .command('migrate')
    .description('copy the log and the bytes of all files to other stores')
    .addOption(stores('--from <stores>', 'the source'))
    .addOption(stores('--to <stores>', 'the target'))
    .addHelpText('after', MIGRATION)
    .action(async ({ from, to }: Readonly<Record<'from' | 'to', Kind>>, command: Command) => {
      if (from === to) command.error(`error: --from and --to are both ${from}`);
      await (await import('./migrate.js')).runMigration(from);
    });
}
