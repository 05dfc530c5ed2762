/** Nothing of a start and of a reading needs a write to MongoDB. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freshDatabase, onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { refusingWrites } from '../../support/mongodb/refusing-writes.js';
import { command, killAll, launch, type Environment } from '../../support/process.js';
import { processes, type Processes } from './processes.js';

const REFUSED = {
  reason: 'MongoDB refuses the lease of platform: available disk space is less than required',
  msg: 'PLATFORM_FILE is not applied: MongoDB refuses writes',
};

onStandIn('mongo-java-server', 'over a MongoDB that refuses all writes', ({ url }) => {
  let them: Processes;
  before(async () => {
    them = await processes();
    await them.start('all', { PLATFORM_FILE: them.platformFile });
  });
  after(async () => {
    await killAll();
    await them.close();
  });

  const filesDir = (): string => join(them.directory, 'files');

  const changedFile = (): string => {
    const file = join(them.directory, 'changed.yaml');
    writeFileSync(file, readFileSync(them.platformFile, 'utf8').replace('label: Hydra', 'label: Changed'));
    return file;
  };

  for (const [title, given] of [
    ['in MongoDB', () => ({})],
    ['in a directory', () => ({ FILES_DIR: filesDir() })],
  ] as const) {
    it(`a process with the bytes of files ${title} starts and reads, and status is printed`, async () => {
      const full = await refusingWrites(them.stores.database.url);
      const over = { MONGODB_URL: full.url, ...given() };
      const service = await them.start('api', { ...over, PLATFORM_FILE: '' });
      expect((await service.get('/projects')).status).to.equal(200);
      expect(await command(['status'], { ...them.env(), ...over })).to.include({ code: 0, stderr: '' });
      expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
      full.stop();
    });
  }

  for (const [title, file, warned] of [
    ['changes nothing', () => them.platformFile, []],
    ['changes something', changedFile, [REFUSED]],
  ] as const) {
    it(`a process with a platform file that ${title} becomes ready and reads`, async () => {
      const full = await refusingWrites(them.stores.database.url);
      const before = (await them.events()).length;
      const service = await them.start('api', { MONGODB_URL: full.url, PLATFORM_FILE: file() });
      expect((await service.get('/projects')).status).to.equal(200);
      const told = service.lines().filter(({ level }) => Number(level) >= 40);
      expect(told.map(({ reason, msg }) => ({ reason, msg }))).to.deep.equal(warned);
      expect(await them.events()).to.have.length(before);
      expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
      full.stop();
    });
  }

  for (const [name, args] of [
    ['plan', () => ['plan', changedFile()]],
    ['export', () => ['export']],
    ['apply', () => ['apply', changedFile()]],
  ] as const) {
    it(`platform ${name} ends with the reason`, async () => {
      const full = await refusingWrites(them.stores.database.url);
      const ended = await command(['platform', ...args()], { ...them.env(), MONGODB_URL: full.url });
      expect(ended).to.deep.equal({ code: 1, signal: null, stdout: '', stderr: `${REFUSED.reason}\n` });
      full.stop();
    });
  }

  it('platform apply ends in order if there is nothing to change', async () => {
    const full = await refusingWrites(them.stores.database.url);
    const env = { ...them.env(), MONGODB_URL: full.url };
    const ended = await command(['platform', 'apply', them.platformFile], env);
    expect(ended).to.include({ code: 0, stderr: '' });
    full.stop();
  });

  it('a start that has to write names the setting', async () => {
    const database = freshDatabase(url());
    const full = await refusingWrites(database.url);
    const env: Environment = { ...them.env(), MONGODB_URL: full.url, FILES_DIR: filesDir(), PLATFORM_FILE: '' };
    const refused = launch(env['DATA_DIR']!, env);
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr()).to.match(/^The server of MONGODB_URL cannot be used: available disk space is less/m);
    full.stop();
  });
});
