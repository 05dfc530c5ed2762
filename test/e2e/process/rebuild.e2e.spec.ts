import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { askService } from '../../../src/operations/control-client.js';
import { controlPath } from '../../../src/operations/control-protocol.js';
import { command, killAll, launch, NO_FILE, run, startService, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf } from '../../support/tracker-of.js';
import { copyArtifact } from './big-log.js';

const COPIES = 12_000;

describe('a rebuild', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  let service: ServiceProcess;
  let tracker: number;

  before(async () => {
    directory = await temporaryDirectory();
    dataDir = directory.path;
    service = await startService(dataDir);
    tracker = (await trackerOf(service, 'note')).id;
    await submit('first');
    await service.kill('SIGTERM');
    await copyArtifact(dataDir, COPIES);
    service = await startService(dataDir, NO_FILE);
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  const submit = async (title: string): Promise<number> => {
    const body = { tracker: { id: tracker }, values_by_field: { title: { value: title } } };
    const { status, body: made } = await service.post('/artifacts', { as: 'alice', body });
    expect(status).to.equal(201);
    return Number(made.id);
  };
  const total = async (): Promise<number> => {
    const { status, headers } = await service.get(`/trackers/${tracker}/artifacts?limit=1`);
    expect(status).to.equal(200);
    return Number(headers.get('x-pagination-size'));
  };

  it('of an unknown projection fails with the list of names', async () => {
    const { code, stderr } = await command(['rebuild', 'artefacts', 'users'], { DATA_DIR: dataDir });
    expect(code).to.equal(1);
    expect(stderr).to.match(/^There is no read model artefacts; there are artifacts, .*users\n$/);
  });

  it('loses no write, and no read fails or sees a half-filled read model', async () => {
    const rebuilding = run(['rebuild', 'artifacts'], { DATA_DIR: dataDir });
    let written = await total();
    const ids: number[] = [];
    while (rebuilding.child.exitCode === null) {
      ids.push(await submit(`during ${ids.length}`));
      written += 1;
      expect(await total()).to.equal(written);
    }
    expect(await rebuilding.ended).to.deep.equal({ code: 0, signal: null });
    expect(ids).not.to.have.length(0);
    for (const id of ids) expect((await service.get(`/artifacts/${id}`)).status).to.equal(200);
    expect(await total()).to.equal(written);

    expect(rebuilding.stdout()).to.match(/^artifacts: \d+ events in \d+\.\d s, serving generation \d+\n$/);
    const lines = rebuilding
      .stderr()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('Waiting until'));
    for (const line of lines) expect(line).to.match(/^artifacts +\[[=-]+\] \d+% \| \d+ events, \d+\/s \| .* left$/);
    expect(lines.at(-1)).to.contain('100%');
  });

  it('ends with its service, at once and without harm', async () => {
    let killed: ReturnType<ServiceProcess['kill']> | undefined;
    const refusal = await askService(controlPath(dataDir), 'rebuild', { names: [] }, () => {
      killed ??= service.kill('SIGTERM');
    }).catch((error: unknown) => error);
    expect(refusal)
      .to.be.instanceOf(Error)
      .with.property('message', 'The service stopped before the command was complete');
    expect(await killed).to.deep.equal({ code: 0, signal: null });
    service = await startService(dataDir, NO_FILE);
    expect(await total()).to.be.above(COPIES);
  });

  it('continues after its command has ended', async () => {
    const rebuilding = run(['rebuild'], { DATA_DIR: dataDir });
    await rebuilding.says(/events/);
    await rebuilding.kill('SIGKILL');
    await submit('after');
    const rebuildUsers = () => command(['rebuild', 'users'], { DATA_DIR: dataDir });
    let next = await rebuildUsers();
    while (next.stdout.includes('users is being filled already')) next = await rebuildUsers();
    expect(next.code, next.stdout).to.equal(0);
  });

  it('fills missing read models at the start, and can be stopped meanwhile', async () => {
    const before = await total();
    await service.kill('SIGTERM');
    rmSync(join(dataDir, 'read-models'), { recursive: true });
    const filling = launch(dataDir, NO_FILE);
    while (!existsSync(join(dataDir, 'control.sock'))) await setTimeout(5);
    expect(await filling.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    expect(filling.stdout()).not.to.contain('"ready"');
    service = await startService(dataDir, NO_FILE);
    expect(await total()).to.equal(before);
  });
});
