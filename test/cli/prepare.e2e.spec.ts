import { join } from 'node:path';
import { expect } from 'chai';
import { appendByHand } from '../e2e/process/big-log.js';
import { command, killAll, PLATFORM_FILE } from '../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

describe('tracker-ledger prepare', () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  it('ends with status 1 over servers, and says what fills their read models', async () => {
    const servers = {
      EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false',
      MONGODB_URL: 'mongodb://127.0.0.1:1/x',
      JWT_SECRET: 'of no use to anybody outside the specs',
    };
    const { code, stderr } = await command(['prepare'], { ...servers, DATA_DIR: directory.path });
    expect(code).to.equal(1);
    expect(stderr).to.match(/^Over servers, start processes of this release beside the others: /);
  });

  it('ends with status 2 where a projection stops, and names it', async () => {
    const env = { DATA_DIR: join(directory.path, 'data') };
    expect(await command(['platform', 'apply', PLATFORM_FILE], env)).to.include({ code: 0 });
    expect(await command(['prepare'], env)).to.include({ code: 0, stderr: '' });
    await appendByHand(env.DATA_DIR, 'tracker-4711', 'TrackerRenamed', { trackerId: 4711, label: 'None' });
    const { code, stdout } = await command(['prepare'], env);
    expect(code).to.equal(2);
    expect(stdout).to.match(/^Not all read models are filled: trackers: .*the tracker was never defined/);
  });
});
