import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { releaseWith } from '../../support/build.js';
import { command, killAll, launch, NO_FILE, ready, run, startService } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf } from '../../support/tracker-of.js';
import { copyArtifact } from './big-log.js';

const COPIES = 20_000;

describe('an upgrade', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  let tracker: number;
  let written: number;
  let next: string;
  let third: string;

  before(async () => {
    [next, third] = [releaseWith('artifacts', 1001), releaseWith('artifacts', 1002)];
    directory = await temporaryDirectory();
    dataDir = directory.path;
    const service = await startService(dataDir);
    tracker = (await trackerOf(service, 'note')).id;
    await submitTo(service, 'first');
    await service.kill('SIGTERM');
    await copyArtifact(dataDir, COPIES);
    written = COPIES + 1;
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  type Service = Awaited<ReturnType<typeof startService>>;
  const submitTo = async (service: Service, title: string): Promise<void> => {
    const body = { tracker: { id: tracker }, values_by_field: { title: { value: title } } };
    expect((await service.post('/artifacts', { as: 'alice', body })).status).to.equal(201);
    written += 1;
  };
  const totalOf = async (service: Service): Promise<number> => {
    const { status, headers } = await service.get(`/trackers/${tracker}/artifacts?limit=1&order=desc`);
    expect(status).to.equal(200);
    return Number(headers.get('x-pagination-size'));
  };
  const start = (release?: string) => ready(launch(dataDir, NO_FILE, release));
  const generationOf = async (release?: string): Promise<string> => {
    const { code, stdout, stderr } = await command(['status'], { DATA_DIR: dataDir }, release);
    expect(code, stderr).to.equal(0);
    return /^artifacts .*?(generation \d+, version \d+)/m.exec(stdout)?.[1] ?? stdout;
  };

  it('is prepared beside the service, whose writes and reads all succeed', async () => {
    const service = await startService(dataDir, NO_FILE);
    const preparing = run(['prepare'], { DATA_DIR: dataDir }, undefined, next);
    while (preparing.child.exitCode === null) {
      await submitTo(service, 'meanwhile');
      expect(await totalOf(service)).to.equal(written);
    }
    expect(await preparing.ended).to.deep.equal({ code: 0, signal: null });
    expect(preparing.stdout()).to.match(/^The read models are as far as the log: .*\n$/);
    await submitTo(service, 'after that');
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
  });

  it('fills nothing again, and shows writes after the preparation', async () => {
    const service = await start(next);
    expect(await totalOf(service)).to.equal(written);
    expect(await generationOf(next)).to.equal('generation 1, version 1001');
    await submitTo(service, 'by the next release');
    await service.kill('SIGTERM');
  });

  it('is taken back without filling anything', async () => {
    const before = await start();
    expect(await totalOf(before)).to.equal(written);
    expect(await generationOf()).to.match(/^generation 1, version \d+$/);
    await before.kill('SIGTERM');
  });

  it('can be prepared by one process at a time, from which no service takes anything away', async () => {
    const preparing = run(['prepare'], { DATA_DIR: dataDir }, undefined, third);
    const isHeld = () => readdirSync(dataDir, { recursive: true }).some((name) => /models.+holder/.test(String(name)));
    while (!isHeld()) await new Promise(setImmediate);
    preparing.child.kill('SIGSTOP');
    const another = await command(['prepare'], { DATA_DIR: dataDir }, third);
    expect(another.code).to.equal(1);
    expect(another.stderr).to.match(/read-models\/\w+ is in use by .*process/);
    const service = launch(dataDir, NO_FILE, third);
    expect((await service.ended).code).to.equal(1);
    expect(service.stderr()).to.match(/read-models\/\w+ is in use by .*process/);
    await (await start()).kill('SIGTERM');
    expect(readdirSync(join(dataDir, 'read-models'))).to.have.length(3);
    preparing.child.kill('SIGCONT');
    expect(await preparing.ended).to.deep.equal({ code: 0, signal: null });
  });

  it('without preparation fills the read models at the start, and keeps those of the release before alone', async () => {
    const [one, two] = [releaseWith('artifacts', 1003), releaseWith('artifacts', 1004)];
    for (const release of [one, two]) {
      const service = await start(release);
      expect(await totalOf(service)).to.equal(written);
      await service.kill('SIGTERM');
    }
    expect(readdirSync(join(dataDir, 'read-models'))).to.have.length(2);
    const service = await start(one);
    expect(await generationOf(one)).to.equal('generation 1, version 1003');
    await service.kill('SIGTERM');
  });

  it('can be prepared again after a preparation was killed in the middle', async () => {
    const release = releaseWith('artifacts', 1005);
    const readModelFiles = (): readonly string[] =>
      readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => /^read-models.*sqlite/.test(name));
    const others = new Set(readModelFiles());
    const preparing = run(['prepare'], { DATA_DIR: dataDir }, undefined, release);
    const sizes = (): readonly number[] =>
      readModelFiles()
        .filter((name) => !others.has(name))
        .map((name) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0);
    while (Math.max(0, ...sizes()) < 2 * 1024 * 1024) await new Promise(setImmediate);
    expect(preparing.child.exitCode).to.equal(null);
    await preparing.kill('SIGKILL');

    const { code, stderr } = await command(['prepare'], { DATA_DIR: dataDir }, release);
    expect(code, stderr).to.equal(0);
    const service = await start(release);
    expect(await totalOf(service)).to.equal(written);
    await service.kill('SIGTERM');
  });

  it('is not prepared where there is no log', async () => {
    const { code, stderr } = await command(['prepare'], { DATA_DIR: join(dataDir, 'nowhere') });
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: `DATA_DIR ${join(dataDir, 'nowhere')} holds no log\n` });
    expect(existsSync(join(dataDir, 'nowhere'))).to.equal(false);
  });
});
