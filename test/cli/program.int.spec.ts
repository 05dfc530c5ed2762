import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CommanderError, type Command } from 'commander';
import { program } from '../../src/cli/program.js';

const COMMANDS = ['start', 'platform', 'rebuild', 'migrate', 'status'];
const PLATFORM_COMMANDS = ['plan', 'apply', 'export', 'schema'];
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** What the program does with arguments that carry out nothing. */
async function called(words: readonly string[]) {
  const said = { stdout: '', stderr: '' };
  const all = program();
  const output = {
    writeOut: (text: string) => (said.stdout += text),
    writeErr: (text: string) => (said.stderr += text),
  };
  for (const command of withInner(all)) command.configureOutput(output);
  const code = await all.parseAsync(words, { from: 'user' }).then(
    () => null,
    (error: unknown) => {
      if (error instanceof CommanderError) return error.exitCode;
      throw error;
    },
  );
  return { ...said, code };
}

const withInner = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(withInner)];

describe('the arguments of tracker-ledger', () => {
  it('names its version and its commands on standard output', async () => {
    expect(await called(['--version'])).to.include({ code: 0, stdout: `${version}\n`, stderr: '' });
    const { stdout } = await called(['--help']);
    expect([...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)).to.include.members(COMMANDS);
  });

  for (const words of [...COMMANDS.map((name) => [name]), ...PLATFORM_COMMANDS.map((name) => ['platform', name])]) {
    it(`describes ${words.join(' ')}`, async () => {
      const help = await called([...words, '--help']);
      expect(help).to.include({ code: 0, stderr: '' });
      expect(help.stdout).to.match(new RegExp(`^Usage: tracker-ledger ${words.join(' ')} .*\n\n\\w`));
      if (words.join() !== 'platform') expect(help.stdout).to.match(/^Exit status: 0 .*, 1 .*\n$/m);
    });
  }

  for (const [words, message] of [
    [[], /^Usage: tracker-ledger/],
    [['stats'], /^error: unknown command 'stats'\n\(Did you mean status\?\)/],
    [['platform', 'aply', 'x'], /^error: unknown command 'aply'\n\(Did you mean apply\?\)/],
    [['platform', 'plan'], /^error: missing required argument 'file'/],
    [['platform', 'plan', 'x', '--pune'], /^error: unknown option '--pune'\n\(Did you mean --prune\?\)/],
    [['platform', 'plan', 'x', '--force'], /^error: --force is for --prune alone/],
    [['platform', 'plan', 'x', 'y'], /^error: too many arguments/],
    [['status', 'now'], /^error: too many arguments/],
    [['migrate'], /^error: required option '--from <stores>' not specified/],
    [['migrate', '--from', 'embedded'], /^error: required option '--to <stores>' not specified/],
    [['migrate', '--from', 'sqlite', '--to', 'production'], /'sqlite' is invalid. Allowed choices are embedded, prod/],
    [['migrate', '--from=production', '--to=production'], /^error: --from and --to are both production/],
    [['migrate', 'embedded', 'production'], /^error: required option/],
  ] as const) {
    it(`refuses "${words.join(' ')}" with status 1, and says why on standard error`, async () => {
      const refused = await called(words);
      expect(refused).to.include({ code: 1, stdout: '' });
      expect(refused.stderr).to.match(message);
    });
  }
});
