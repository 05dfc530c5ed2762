import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openDatabase } from '../../src/stores/sqlite/connection.js';
import {
  command,
  killAll,
  NO_FILE,
  PLATFORM_FILE,
  run,
  startService,
  type ServiceProcess,
} from '../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const SUSPENDED = readFileSync(PLATFORM_FILE, 'utf8').replace("bob's password", '$&, status: suspended');
const USERS = 60;
const MANY = JSON.stringify({
  users: Array.from({ length: USERS }, (_, nth) => ({
    username: `user${nth}`,
    real_name: 'U',
    email: 'u@example.org',
    password: 'secret',
  })),
});

// Over servers, a command does its work itself.
if ((process.env['TEST_STORES'] ?? '') === '') {
  describe('a command that ends before its service has answered', () => {
    let directory: TemporaryDirectory;
    let service: ServiceProcess;
    beforeEach(async () => {
      directory = await temporaryDirectory();
      service = await startService(join(directory.path, 'data'));
    });
    afterEach(async () => {
      await killAll();
      await directory.remove();
    });

    const env = () => ({ DATA_DIR: join(directory.path, 'data'), ...NO_FILE });
    const file = (text: string): string => {
      const path = join(directory.path, 'platform.yaml');
      writeFileSync(path, text);
      return path;
    };
    const registered = async (): Promise<number> =>
      (await command(['platform', 'export'], env())).stdout.match(/username: user\d/g)?.length ?? 0;

    it('applies nothing later, when a service that was paused goes on', async () => {
      const bob = await service.signIn('bob');
      const status = async () => (await fetch(`${service.url}/api/users/self`, { headers: bob })).status;
      const args = ['platform', 'apply', file(SUSPENDED)];
      service.child.kill('SIGSTOP');
      const applying = run(args, env());
      await applying.says(/Waiting until the service/);
      expect((await applying.kill('SIGINT')).signal).to.equal('SIGINT');
      service.child.kill('SIGCONT');
      const planned = await command(['platform', 'plan', file(SUSPENDED)], env());
      expect(planned).to.include({ code: 2 });
      expect(planned.stdout).to.contain('bob');
      expect(await status()).to.equal(200);
      expect((await command(args, env())).code).to.equal(0);
      expect(await status()).to.equal(403);
    });

    it('is a rebuild that ends at SIGINT', async () => {
      service.child.kill('SIGSTOP');
      const rebuilding = run(['rebuild', 'users'], env());
      await rebuilding.says(/Waiting until the service/);
      expect(await rebuilding.kill('SIGINT')).to.deep.equal({ code: null, signal: 'SIGINT' });
    });

    it('applies no further change, and an application of the same file completes it', async () => {
      const args = ['platform', 'apply', file(MANY)];
      const applying = run(args, env());
      while ((await service.get('/users?query=user', { as: 'alice' })).body.length === 0) await sleep(20);
      await applying.kill('SIGKILL');
      // An export waits until the application has ended.
      const first = await registered();
      expect(first).to.be.within(1, USERS - 1);
      expect((await command(args, env())).code).to.equal(0);
      expect(await registered()).to.equal(USERS);
    });
  });
  describe('platform apply without a service', () => {
    const PROJECTS = 400;
    const FILE = JSON.stringify({
      projects: Array.from({ length: PROJECTS }, (_, nth) => ({ shortname: `project${nth}`, label: 'P' })),
    });
    let directory: TemporaryDirectory;
    beforeEach(async () => {
      directory = await temporaryDirectory();
    });
    afterEach(async () => {
      await killAll();
      await directory.remove();
    });

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`ends between two changes at ${signal}, and counts the changes before`, async () => {
        const dataDir = join(directory.path, 'data');
        const path = join(directory.path, 'platform.yaml');
        const env = { DATA_DIR: dataDir };
        // Makes the log.
        writeFileSync(path, '{}');
        expect((await command(['platform', 'apply', path], env)).code).to.equal(0);
        writeFileSync(path, FILE);
        const log = openDatabase(join(dataDir, 'log.sqlite'), { readOnly: true });
        try {
          const applying = run(['platform', 'apply', path], env);
          const count = log.prepare('SELECT count(*) AS n FROM events');
          while ((count.get() as { n: number }).n < 20) await sleep(5);
          expect(await applying.kill(signal)).to.deep.equal({ code: 1, signal: null });
          expect(applying.stderr()).to.match(/^Stopped\. \d+ changes were applied before: apply the file again\n$/);
          const planned = (await command(['platform', 'plan', path], env)).stdout.split('\n');
          const left = planned.filter((line) => line.startsWith('register project')).length;
          const applied = Number(/\d+/.exec(applying.stderr())?.[0]);
          expect(left).to.be.within(1, PROJECTS - 1);
          expect({ applied, words: planned.filter((line) => line.startsWith('finish')) }).to.deep.equal({
            applied: PROJECTS - left,
            words: [],
          });
        } finally {
          log.close();
        }
      });
    }
  });
}
