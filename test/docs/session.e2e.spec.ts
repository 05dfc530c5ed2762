import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkingProxy, type CheckingProxy } from '../support/checking-proxy.js';
import { failedIn, makeClone, shell } from '../support/clone.js';
import { needsProgram } from '../support/needs-program.js';
import { killAll, ready, run, type ServiceProcess } from '../support/process.js';
import { fencedBlocks, scriptOf } from '../support/shell-blocks.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const PLATFORM = fencedBlocks('yaml').find(({ text }) => text.includes('password_env'))?.text ?? '';

needsProgram('curl', 'the session of the README', () => {
  describe('the session of the README', () => {
    let directory: TemporaryDirectory;
    let api: ServiceProcess;
    let proxy: CheckingProxy;
    before(async () => {
      directory = await temporaryDirectory();
      makeClone(directory.path);
      api = await ready(run(['start'], { NODE_ENV: 'test', PORT: '0' }, directory.path));
      proxy = await checkingProxy(api.url);
    });
    after(async () => {
      await proxy.stop();
      await killAll();
      await directory.remove();
    });

    const outcomeOf = async (script: string) => {
      const { stdout, stderr, ended } = shell(script, directory.path);
      await ended;
      return { stdout: stdout(), stderr: stderr(), failed: failedIn(stderr()) };
    };

    it('works word for word, on the demo', async () => {
      const script = scriptOf('session').replace('http://127.0.0.1:8080', proxy.url);
      expect(script).to.include(proxy.url);
      const { stdout, failed } = await outcomeOf(script);
      expect(failed).to.deep.equal([]);
      const statuses = [...stdout.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      expect(statuses, stdout).to.deep.equal(['200', '200', '412', '200']);
      expect(stdout.match(/"error"/g), stdout).to.have.length(1);
      expect(stdout).to.include('"title":"The pump hums at night"');
      expect(stdout).to.match(/X-PAGINATION-SIZE: \d+\r?\n/);
      expect(stdout).to.include('"body":"Heard it"');
      expect(stdout).to.match(/^artifacts: \d+ events in .*, serving generation \d+$/m);
      expect(stdout).to.include('"name":"log.txt"');
      expect(stdout).to.include('"upload_href":');
      expect(
        stdout.split('\n').filter((line) => line.startsWith('{"id"') && line.includes('"title":"The pump hums"')),
      ).not.to.deep.equal([]);
    });

    it('goes on with a platform from the file above, in a directory without the demo', async () => {
      writeFileSync(join(directory.path, 'platform.yaml'), PLATFORM);
      const { stdout, failed } = await outcomeOf(scriptOf('platform'));
      expect(failed).to.deep.equal([]);
      expect(stdout).to.include('register user ann').and.to.include('Nothing to change');
      expect(stdout).to.include('shortname: garden');
      expect(JSON.stringify((await api.get('/projects')).body))
        .to.include('hydra')
        .and.not.to.include('garden');
    });
  });
});
