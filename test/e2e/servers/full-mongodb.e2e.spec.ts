/** With the bytes of files in a directory: nothing of a start and of a reading needs a write to MongoDB then. */
import { join } from 'node:path';
import { expect } from 'chai';
import { freshDatabase, onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { refusingWrites } from '../../support/mongodb/refusing-writes.js';
import { command, killAll, launch, type Environment } from '../../support/process.js';
import { processes, type Processes } from './processes.js';

onStandIn('mongo-java-server', 'over a MongoDB that refuses all writes', ({ url }) => {
  let them: Processes;
  before(async function () {
    this.timeout(120_000);
    them = await processes();
    await them.start('all', { PLATFORM_FILE: them.platformFile });
  });
  after(async () => {
    await killAll();
    await them.close();
  });

  const filesDir = (): string => join(them.directory, 'files');

  it('a process starts and reads, and status is printed', async function () {
    this.timeout(120_000);
    const full = await refusingWrites(them.stores.database.url);
    const over = { MONGODB_URL: full.url, FILES_DIR: filesDir() };
    const service = await them.start('api', { ...over, PLATFORM_FILE: '' });
    expect((await service.get('/projects')).status).to.equal(200);
    expect(await command(['status'], { ...them.env(), ...over })).to.include({ code: 0, stderr: '' });
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    full.stop();
  });

  it('a start that has to write names the setting', async function () {
    this.timeout(120_000);
    const database = freshDatabase(url());
    const full = await refusingWrites(database.url);
    const env: Environment = { ...them.env(), MONGODB_URL: full.url, FILES_DIR: filesDir(), PLATFORM_FILE: '' };
    const refused = launch(env['DATA_DIR']!, env);
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr()).to.match(/^The server of MONGODB_URL cannot be used: available disk space is less/m);
    full.stop();
  });
});
