import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { command, killAll, launch, PLATFORM_FILE, startService } from '../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

describe('tracker-ledger platform', () => {
  // Each of its commands is a process.

  let directory: TemporaryDirectory;
  let dataDir: string;
  before(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  const platform = (...args: string[]) => command(['platform', ...args], { DATA_DIR: dataDir });
  const fileWith = (name: string, change: (text: string) => string): string => {
    const file = join(directory.path, name);
    writeFileSync(file, change(readFileSync(PLATFORM_FILE, 'utf8')));
    return file;
  };

  it('makes no DATA_DIR to plan on or to export, and no rebuild does', async () => {
    const env = { DATA_DIR: join(directory.path, 'mistyped') };
    for (const words of [['platform', 'plan', PLATFORM_FILE], ['platform', 'export'], ['rebuild']]) {
      const refused = await command(words, env);
      expect(refused).to.include({ code: 1, stdout: '' });
      expect(refused.stderr).to.match(/^DATA_DIR .*mistyped does not exist/);
    }
    expect(existsSync(env.DATA_DIR)).to.equal(false);
  });

  it('names variables that are misspelt', async () => {
    const { stderr } = await command(['platform', 'export'], { DATADIR: dataDir });
    expect(stderr).to.include('Unknown environment variable DATADIR; did you mean DATA_DIR?\n');
  });

  it('works on a data directory that no service has', async () => {
    mkdirSync(dataDir);
    const planned = await platform('plan', PLATFORM_FILE);
    expect(planned).to.include({ code: 2, stderr: '' });
    const applied = await platform('apply', PLATFORM_FILE);
    expect(applied).to.deep.equal({ ...planned, code: 0 });
    expect(await platform('plan', PLATFORM_FILE)).to.include({ code: 0, stdout: 'Nothing to change\n' });
    const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    expect(files).to.include.members(['log.sqlite', 'read-models']);
    for (const file of files) expect(statSync(join(dataDir, file)).mode & 0o077, file).to.equal(0);
  });

  it('hands its work to the service that runs, one after the other', async () => {
    const service = await startService(dataDir);
    const file = fileWith('renamed.yaml', (text) => text.replace('label: Hydra', 'label: Lerna'));
    const [one, other] = await Promise.all([platform('apply', file), platform('apply', file)]);
    expect([one.code, other.code]).to.deep.equal([0, 0]);
    expect([one, other].filter(({ stdout }) => stdout === 'Nothing to change\n')).to.have.length(1);
    const projects = (await service.get('/projects')).body as { label: string }[];
    expect(projects.map(({ label }) => label)).to.include('Lerna');
    const exported = await platform('export');
    expect(exported.stdout).to.contain('Lerna');
    expect(exported.stdout).not.to.contain('password');
  });

  it('marks what widens access', async () => {
    const file = join(directory.path, 'root.yaml');
    writeFileSync(file, 'users: [{ username: root, real_name: R, email: r@b, password: x, site_admin: true }]');
    expect(await platform('plan', file)).to.include({ code: 2, stdout: 'register user root [widens access]\n' });
  });

  it('suspends the last site administrator only when it is forced to', async () => {
    const file = join(directory.path, 'nobody.yaml');
    writeFileSync(file, 'users: []');
    const refused = await platform('plan', file, '--prune');
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(/^line 1, \/users: would suspend the last site administrator, \w+;/m);
    const forced = await platform('plan', file, '--prune', '--force');
    expect(forced).to.include({ code: 2, stderr: '' });
    expect(forced.stdout).to.contain('suspend user');
    expect((await platform('plan', file, '--force')).stderr).to.match(/^error: --force is for --prune alone/);
  });

  it('refuses a file that is not UTF-8, as the start does, and names it', async () => {
    const file = join(directory.path, 'latin-1.yaml');
    writeFileSync(file, readFileSync(PLATFORM_FILE, 'utf8').replace('label: Hydra', 'label: Gärten'), 'latin1');
    const words = `The platform file ${file} is not UTF-8`;
    for (const part of ['plan', 'apply']) {
      const refused = await platform(part, file);
      expect(refused).to.include({ code: 1, stdout: '' });
      expect(refused.stderr).to.include(words);
    }
    const started = launch(dataDir, { PLATFORM_FILE: file });
    expect(await started.ended).to.deep.equal({ code: 1, signal: null });
    expect(started.stderr()).to.include(words);
  });

  it('names what is wrong with a file', async () => {
    const file = fileWith('wrong.yaml', (text) => text.replace('admins: [alice]', 'admins: [alicia]'));
    const refused = await platform('apply', file);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(/^line \d+, \/projects\/0\/admins\/0: .*alicia/m);
    expect((await platform('apply', join(directory.path, 'none'))).stderr).to.match(/ENOENT/);
    expect((await platform('plan', directory.path)).stderr).to.include(`file ${directory.path} is a directory`);
    expect(JSON.parse((await platform('schema')).stdout)).to.be.an('object');
  });
});
