import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { compiled } from '../support/build.js';

/** A process with a part that never ends. It was draining for a minute when another part failed. */
const program = (module: string): string => `
  import { shutdown } from ${JSON.stringify(pathToFileURL(compiled(module)).href)};
  const logger = { info: () => {}, fatal: (...words) => console.log(words.at(-1)) };
  const { fail } = shutdown(logger, 60_000);
  process.on('SIGTERM', () => fail(new Error('the log is gone')));
  setInterval(() => {}, 1000);
  process.kill(process.pid, 'SIGTERM');
`;

describe('a process of which a part has failed', () => {
  it('is killed ten seconds later at the latest, though it was to drain for longer', async () => {
    const source = program('src/composition/shutdown.js');
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    expect(await once(child, 'close')).to.deep.equal([null, 'SIGKILL']);
    expect(said).to.equal('service component failed, stopping\nshutdown timed out, exiting\n');
  });
});
