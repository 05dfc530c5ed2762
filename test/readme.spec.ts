import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { DEMO_PLATFORM } from '../src/platform/demo-platform.js';
import { needsProgram } from './support/needs-program.js';
import { runService, type RunningService } from './support/service.js';

const run = promisify(execFile);

/** The shell blocks of the README's session, in one script. */
function session(): string {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const blocks = [...readme.matchAll(/```sh session\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  return blocks.join('\n').replace('npx tracker-ledger rebuild\n', '');
}

needsProgram('curl', 'the session of the README', () => {
  describe('the session of the README', () => {
    let api: RunningService;
    before(async () => {
      api = await runService({ platform: DEMO_PLATFORM });
    });
    after(() => api.stop());

    it('works word for word', async () => {
      const script = session().replace('http://127.0.0.1:8080', api.url);
      expect(script).to.include(api.url);
      const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script]);
      const statuses = [...stdout.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      expect(statuses, stdout).to.deep.equal(['200', '200', '412', '200']);
      expect(stdout).to.include('"title":"The pump hums at night"');
      expect(stdout).to.match(/X-PAGINATION-SIZE: 1\r?\n/);
      expect(stdout).to.include('"body":"Heard it"');
      expect(stdout.match(/"error"/g)).to.have.length(1);
    });
  });
});
