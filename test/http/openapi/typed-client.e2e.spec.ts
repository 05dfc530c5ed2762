import { execFile } from 'node:child_process';
import { appendFileSync, copyFileSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { DEMO_PLATFORM } from '../../../src/demo/demo-platform.js';
import { checkingProxy, type CheckingProxy } from '../../support/checking-proxy.js';
import { leaveOut } from '../../support/left-out.js';
import { runService, type RunningService } from '../../support/service.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

const PACKAGE = fileURLToPath(new URL('../../../test/clients/typescript', import.meta.url));
const MODULES = join(PACKAGE, 'node_modules');

const STRICT = [
  ...['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noEmitOnError'],
  ...['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'],
];

const run = promisify(execFile);

function specs(): void {
  let api: RunningService;
  let proxy: CheckingProxy;
  let directory: TemporaryDirectory;
  before(async () => {
    [api, directory] = await Promise.all([runService({ platform: DEMO_PLATFORM }), temporaryDirectory()]);
    proxy = await checkingProxy(api.url);
  });
  after(async () => {
    await proxy.stop();
    await api.stop();
    await directory.remove();
  });

  const within = (name: string): string => join(directory.path, name);
  /** What the compiler has against the session. */
  const faults = async (): Promise<string> => {
    const args = [join(MODULES, 'typescript/bin/tsc'), ...STRICT, within('session.ts')];
    const { stdout } = await run(process.execPath, args).catch(
      (error: unknown) => error as { readonly stdout: string },
    );
    return stdout;
  };

  it('compiles under strict rules, and drives the first session of the README', async () => {
    const description = await fetch(`${api.url}/api/openapi.json`);
    writeFileSync(within('openapi.json'), await description.text());
    writeFileSync(within('package.json'), '{"type":"module"}');
    symlinkSync(MODULES, within('node_modules'));
    copyFileSync(join(PACKAGE, 'session.ts'), within('session.ts'));
    const generator = join(MODULES, 'openapi-typescript/bin/cli.js');
    await run(process.execPath, [generator, within('openapi.json'), '-o', within('api.d.ts')]);
    expect(await faults()).to.equal('');
    const { stdout } = await run(process.execPath, [within('session.js'), `${proxy.url}/api`]);
    expect(stdout).to.equal('Title The pump leaks\n200 undefined\n412 412\n');
  });

  it('does not compile with a member that no answer has', async () => {
    appendFileSync(within('session.ts'), '\nconsole.log(bug?.colour);\n');
    expect(await faults()).to.include("Property 'colour' does not exist");
  });
}

const TITLE = 'a client that is made from the description of the API';
if (existsSync(MODULES)) describe(TITLE, specs);
else leaveOut(TITLE, 'npm ci --prefix test/clients/typescript has not been run');
