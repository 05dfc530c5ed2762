import { execFile } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { DEMO_PLATFORM } from '../../../src/demo/demo-platform.js';
import { checkingProxy, type CheckingProxy } from '../../support/checking-proxy.js';
import { leaveOut } from '../../support/left-out.js';
import { pythonProgram, pythonWith } from '../../support/python.js';
import { runService, type RunningService } from '../../support/service.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

const PACKAGE = fileURLToPath(new URL('../../../test/clients/python', import.meta.url));

const run = promisify(execFile);

function specs(generator: string, python: string): void {
  let api: RunningService;
  let proxy: CheckingProxy;
  let directory: TemporaryDirectory;
  let generated: { readonly stdout: string; readonly stderr: string };

  const within = (name: string): string => join(directory.path, name);
  const generate = async (): Promise<typeof generated> => {
    const description = await fetch(`${api.url}/api/openapi.json`);
    writeFileSync(within('openapi.json'), await description.text());
    const args = ['--path', within('openapi.json'), '--config', join(PACKAGE, 'config.yaml')];
    return run(generator, ['generate', ...args, '--meta', 'none', '--output-path', within('tracker_ledger')]);
  };

  before(async () => {
    [api, directory] = await Promise.all([runService({ platform: DEMO_PLATFORM }), temporaryDirectory()]);
    proxy = await checkingProxy(api.url);
    generated = await generate();
  });
  after(async () => {
    await proxy.stop();
    await api.stop();
    await directory.remove();
  });

  it('has every part of the description: the generator prints no warning', () => {
    expect(generated.stderr).to.equal('');
    expect(generated.stdout).to.match(/^Generating .*\n$/);
  });

  it('drives the first session of the README, up to a stale ETag that is answered 412', async () => {
    copyFileSync(join(PACKAGE, 'session.py'), within('session.py'));
    const { stdout } = await run(python, [within('session.py'), `${proxy.url}/api`]);
    expect(stdout).to.equal('Title The pump leaks\n200 None\n412 412\nThe pump leaks oil\n');
  });
}

const TITLE = 'a client in Python that is generated from the description of the API';
const GENERATOR = pythonProgram('openapi-python-client');
const PYTHON = pythonWith('attrs', 'httpx');
if (GENERATOR === undefined) leaveOut(TITLE, 'openapi-python-client is not installed');
else if (PYTHON === undefined) leaveOut(TITLE, 'no Python with the packages attrs and httpx is found');
else
  describe(TITLE, () => {
    specs(GENERATOR, PYTHON);
  });
