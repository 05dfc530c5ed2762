import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { NO_STREAM } from '../../../src/core/event-log.js';
import { sqliteEventLog } from '../../../src/stores/sqlite/event-log/event-log.js';
import { metadata, newStream, noted } from '../../stores/contracts/event-log-fixture.js';
import { killAll, launch, NO_FILE, startService, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf } from '../../support/tracker-of.js';
import { readModelsDirectory } from '../../../src/stores/sqlite/read-models/directories.js';
import { all } from '../../../projections/all.js';

describe('an older log restored beside newer read models', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  let service: ServiceProcess;
  let trackerId: number;
  let kept: number;
  let lost: readonly number[];

  const inData = (file: string): string => join(dataDir, file);
  const submit = async (title: string): Promise<number> => {
    const body = { tracker: { id: trackerId }, values_by_field: { title: { value: title } } };
    const { status, body: made } = await service.post('/artifacts', { as: 'alice', body });
    expect(status).to.equal(201);
    return Number(made.id);
  };
  const replaceLog = async (by: string | null): Promise<void> => {
    for (const suffix of ['', '-wal', '-shm']) await rm(inData(`log.sqlite${suffix}`), { force: true });
    if (by !== null) await copyFile(by, inData('log.sqlite'));
  };
  const refused = async (): Promise<string> => {
    const start = launch(dataDir, NO_FILE);
    expect((await start.ended).code).to.equal(1);
    return start.stderr();
  };

  before(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
    service = await startService(dataDir);
    trackerId = (await trackerOf(service, 'note')).id;
    kept = await submit('Kept');
    await service.kill('SIGTERM');
    await copyFile(inData('log.sqlite'), join(directory.path, 'older.sqlite'));
    service = await startService(dataDir, NO_FILE);
    lost = [await submit('Lost one'), await submit('Lost two')];
    await service.put(`/artifacts/${kept}`, {
      as: 'alice',
      body: { values_by_field: { title: { value: 'Changed' } } },
    });
    await service.kill('SIGTERM');
    await replaceLog(join(directory.path, 'older.sqlite'));
    service = await startService(dataDir, NO_FILE);
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  it('replaces the newer read models, of which no answer shows anything', async () => {
    expect((await service.get(`/artifacts/${kept}`)).body.title).to.equal('Kept');
    for (const id of lost) expect((await service.get(`/artifacts/${id}`)).status).to.equal(404);
    const { body } = await service.get(`/trackers/${trackerId}/artifacts`);
    expect((body as { id: number }[]).map(({ id }) => id)).to.deep.equal([kept]);
    expect((await fetch(`${service.url}/health/ready`)).status).to.equal(200);
  });

  it('is warned of, with the position, the event that was expected and the one found', () => {
    const warnings = service.lines().filter(({ expected }) => expected !== undefined);
    expect(warnings.map(({ projection }) => projection)).to.include.members(['artifacts', 'users', 'trackers']);
    for (const { level, position, expected, found, msg } of warnings) {
      expect([level, found]).to.deep.equal([40, null]);
      expect(position).to.match(/^[0-9a-f]{16}$/);
      expect(expected).to.match(/^[0-9a-f-]{36}$/);
      expect(msg).to.include('not found in the log');
    }
  });

  it('shows each later acknowledged write, and no other event in its place', async () => {
    for (const title of ['New one', 'New two', 'New three']) {
      const id = await submit(title);
      expect((await service.get(`/artifacts/${id}`)).body.title).to.equal(title);
    }
  });

  it('is served by the next start without a warning', async () => {
    await service.kill('SIGTERM');
    service = await startService(dataDir, NO_FILE);
    expect(service.lines().filter(({ expected }) => expected !== undefined)).to.deep.equal([]);
    expect((await service.get(`/artifacts/${kept}`)).body.title).to.equal('Kept');
  });

  it('that is another log, or empty, is refused with the remedy, and the read models stay', async () => {
    await service.kill('SIGTERM');
    const readModels = join(readModelsDirectory(dataDir, all), 'read-models.sqlite');
    const before = await readFile(readModels);
    const other = join(directory.path, 'other');
    await mkdir(other);
    const log = await sqliteEventLog(other);
    await log.append(newStream(), NO_STREAM, [noted()], metadata);
    await log.close();
    await replaceLog(join(other, 'log.sqlite'));
    expect(await refused())
      .to.include('made from another log: log.sqlite is another log')
      .and.include('remove that directory');
    await replaceLog(null);
    await (await sqliteEventLog(dataDir)).close();
    expect(await refused()).to.include('made from another log: log.sqlite is empty');
    expect((await readFile(readModels)).equals(before)).to.equal(true);
  });
});
