/** The scripts of package.json, as an operator calls them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { compiled } from '../../support/build.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

const PACKAGE = fileURLToPath(new URL('../../../package.json', import.meta.url));

describe('the scripts of package.json', () => {
  let directory: TemporaryDirectory;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    copyFileSync(PACKAGE, at('package.json'));
    symlinkSync(compiled('.'), at('dist'));
  });
  afterEach(() => directory.remove());

  const at = (name: string): string => join(directory.path, name);
  const npm = (...args: string[]) => called('npm', ...args);
  const called = (program: string, ...args: string[]) => {
    const { PATH = '' } = process.env;
    const env = { PATH, DATA_DIR: at('data'), PORT: '0', NODE_ENV: 'test', npm_config_cache: at('cache') };
    const child = spawn(program, args, { cwd: directory.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return { child, said: () => said, ended: once(child, 'exit') };
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`${signal} to npm start ends the service in order, and no process stays behind`, async () => {
      const { child, said, ended } = npm('start');
      while (!said().includes('"msg":"ready"')) await once(child.stdout, 'data');
      const { pid } = JSON.parse(readFileSync(at('data/holder.json'), 'utf8')) as { readonly pid: number };
      try {
        child.kill(signal);
        await ended;
        expect(said()).to.include('"msg":"stopped"');
        expect(isAlive(pid), `process ${pid}`).to.equal(false);
      } finally {
        if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      }
    });
  }

  it('leave npx to run the program of the project itself, without a network', async () => {
    // Without the scripts and the dependencies: npx builds what it links, and this directory has nothing to build.
    const { name, version, type, bin } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as Readonly<Record<string, unknown>>;
    writeFileSync(at('package.json'), JSON.stringify({ name, version, type, bin }));
    const { said, ended } = called('npx', '--offline', 'tracker-ledger', 'platform', 'schema');
    expect((await ended)[0]).to.equal(0);
    expect(JSON.parse(said())).to.include({ title: 'Platform file' });
  });

  it('hand arguments and the exit status on', async () => {
    const { ended } = npm('run', 'platform', '--', 'plan', at('none.yaml'), '--prune');
    expect((await ended)[0]).to.equal(1);
    const schema = npm('run', '--silent', 'platform', '--', 'schema');
    expect((await schema.ended)[0]).to.equal(0);
    expect(JSON.parse(schema.said())).to.be.an('object');
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
