import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { compiled } from '../support/build.js';
import { leaveOut } from '../support/left-out.js';
import { command, killAll, run, startService, type Environment } from '../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

describe('tracker-ledger', () => {
  after(killAll);

  it('prints what was asked for, and nothing else, to standard output', async () => {
    const { stdout, ...rest } = await command(['platform', 'schema'], {});
    expect(rest).to.deep.equal({ code: 0, signal: null, stderr: '' });
    expect(JSON.parse(stdout)).to.include({ title: 'Platform file' });
  });

  it('ends with status 1 if the arguments are wrong, and says why on standard error', async () => {
    const refused = await command(['platform', 'aply'], {});
    expect(refused).to.include({ code: 1, stdout: '' });
    expect(refused.stderr).to.include("unknown command 'aply'");
  });

  it('goes on serving when the reader of standard error leaves', async () => {
    const directory = await temporaryDirectory();
    const env = { DATA_DIR: join(directory.path, 'data'), PORT: '0' };
    const service = run(['start'], env);
    service.child.stderr?.destroy();
    await service.says(/"msg":"listening"/);
    expect(await command(['status'], env)).to.include({ code: 0 });
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    await directory.remove();
  });

  it('ends in order, without a word, when the reader of its output leaves', async () => {
    const printing = run(['platform', 'schema'], {});
    printing.child.stdout?.destroy();
    expect(await printing.ended).to.deep.equal({ code: 0, signal: null });
    expect(printing.stderr()).to.equal('');
  });
});

const FULL = '/dev/full';

function intoFull(args: readonly string[], env: Environment) {
  const output = openSync(FULL, 'w');
  const { status, stderr } = spawnSync(process.execPath, [compiled('src/cli/tracker-ledger.js'), ...args], {
    stdio: ['ignore', output, 'pipe'],
    env,
    encoding: 'utf8',
  });
  closeSync(output);
  return { status, stderr };
}

function register(): void {
  describe('tracker-ledger with a full disk for its output', () => {
    let directory: TemporaryDirectory;
    let env: Environment;
    before(async () => {
      directory = await temporaryDirectory();
      env = { DATA_DIR: join(directory.path, 'data'), NODE_ENV: 'test' };
      await startService(join(directory.path, 'data'));
    });
    after(async () => {
      await killAll();
      await directory.remove();
    });

    for (const words of ['--help', '--version', 'platform schema', 'platform export', 'status']) {
      it(`ends ${words} with status 1 and one line on standard error`, () => {
        const { status, stderr } = intoFull(words.split(' '), env);
        expect(status).to.equal(1);
        expect(stderr).to.match(/^Standard output is incomplete: ENOSPC.*\n$/);
      });
    }

    for (const words of ['--help', 'platform schema', 'platform export']) {
      it(`ends ${words} with status 1 if its file takes only the beginning`, () => {
        const file = join(directory.path, words);
        // Node ignores the signal of a file that may not grow: its last write is cut, and the next one fails.
        const script = 'ulimit -f 1; exec "$0" "$@" > "$FILE"';
        const program = [process.execPath, compiled('src/cli/tracker-ledger.js'), ...words.split(' ')];
        const { status, stderr } = spawnSync('bash', ['-c', script, ...program], {
          // Of a socket, bash would read the settings of its user.
          stdio: ['ignore', 'ignore', 'pipe'],
          env: { ...env, FILE: file },
          encoding: 'utf8',
        });
        expect(statSync(file).size).to.equal(1024);
        expect(status).to.equal(1);
        expect(stderr).to.match(/^Standard output is incomplete: EFBIG.*\n$/);
      });
    }

    it('goes on serving, and ends in order', async () => {
      const full = { DATA_DIR: join(directory.path, 'full'), NODE_ENV: 'test', PORT: '0' };
      const output = openSync(FULL, 'w');
      const service = spawn(process.execPath, [compiled('src/cli/tracker-ledger.js'), 'start'], {
        stdio: ['ignore', output, 'ignore'],
        env: full,
      });
      closeSync(output);
      const ended = once(service, 'exit');
      try {
        while ((await command(['status'], full)).code !== 0) expect(service.exitCode).to.equal(null);
        service.kill('SIGTERM');
        expect(await ended).to.deep.equal([0, null]);
      } finally {
        service.kill('SIGKILL');
      }
    });
  });
}

if (existsSync(FULL)) register();
else leaveOut('output to a full disk', `there is no ${FULL}`);
