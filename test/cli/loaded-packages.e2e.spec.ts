/** A command loads the packages that it needs, and no others: the clients of servers cost a process half a second and 30 MB. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { killAll, launch, NO_FILE, ready, run, type Running } from '../support/process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Makes a process say, once it ends, which packages it has loaded. */
const TELLS = `import Module from 'node:module';
process.on('exit', () => console.error('loaded ' + Object.keys(Module._cache).join(' ')));`;
const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(TELLS)}`;

async function loaded(process: Running): Promise<ReadonlySet<string>> {
  await process.ended;
  // Once for each thread.
  const files = [...process.stderr().matchAll(/^loaded (.*)$/gm)].map(([, paths = '']) => paths).join(' ');
  return new Set([...files.matchAll(/node_modules\/((?:@[^/ ]+\/)?[^/ ]+)/g)].map(([, name = '']) => name));
}

const CLIENTS = ['mongodb', '@eventstore/db-client'];

describe('the packages that tracker-ledger loads', () => {
  after(killAll);

  it('are none but those of the bundle for a list of the commands', async () => {
    const help = run(['--help'], { NODE_OPTIONS });
    expect([...(await loaded(help))]).to.deep.equal([]);
    expect(help.stderr()).to.match(/^loaded /m);
  });

  for (const args of [['platform', 'schema'], ['status']]) {
    it(`are no clients of servers without a named server for ${args.join(' ')}`, async () => {
      const packages = await loaded(run(args, { NODE_OPTIONS, DATA_DIR: 'none' }));
      expect(packages)
        .to.include('pino')
        .and.not.to.include.any.keys(...CLIENTS);
    });
  }

  it('are no clients of servers for a service on its embedded stores', async () => {
    const directory = await temporaryDirectory();
    const service = await ready(launch(directory.path, { ...NO_FILE, NODE_OPTIONS }));
    await service.kill('SIGTERM');
    // Of what is not bundled: Node warns of the parser of URLs that parseurl calls, where it is part of a program.
    expect(await loaded(service))
      .to.include.members(['pino', 'parseurl'])
      .and.not.to.include.any.keys(...CLIENTS, '@xmldom/xmldom');
    await directory.remove();
  });

  it('are those of archives before the first deletion where deleted artifacts are archived', async () => {
    const directory = await temporaryDirectory();
    const platform = join(directory.path, 'platform.yaml');
    await writeFile(platform, 'settings: { archive_deleted_artifacts: true }');
    const dataDir = join(directory.path, 'data');
    const service = await ready(launch(dataDir, { PLATFORM_FILE: platform, NODE_OPTIONS }));
    await service.kill('SIGTERM');
    expect(await loaded(service)).to.include('@xmldom/xmldom');
    await directory.remove();
  });
});
