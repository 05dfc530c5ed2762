import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type StreamName } from '../../../src/core/event-log.js';
import { PLATFORM_STREAM } from '../../../src/platform/platform-events.js';
import { openDatabase } from '../../../src/stores/sqlite/connection.js';
import { damageEvent } from '../../support/damaged-log.js';
import {
  command,
  killAll,
  launch,
  NO_FILE,
  startService,
  unready,
  type ServiceProcess,
} from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf } from '../../support/tracker-of.js';

/** The projections that want an event of an artifact. */
const NEEDED = ['artifacts', 'files', 'pending-links'];

describe('a projection that has never served', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  let service: ServiceProcess;
  let tracker: { readonly id: number; readonly project: number };
  let artifact: StreamName;
  let id: number;
  let sound: string;

  before(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
    service = await startService(dataDir);
    tracker = await trackerOf(service, 'note');
    const body = { tracker: { id: tracker.id }, values_by_field: { title: { value: 'One' } } };
    id = Number((await service.post('/artifacts', { as: 'alice', body })).body.id);
    artifact = `artifact-${id}`;
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  /** The next start fills everything, and meets the damage. */
  const restart = async (damage: () => void): Promise<void> => {
    await service.kill('SIGTERM');
    await rm(join(dataDir, 'read-models'), { recursive: true });
    damage();
    service = await unready(launch(dataDir, NO_FILE));
  };
  const readiness = (headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service.url}/health/ready`, { headers });
  const inLog = (sql: string, ...values: readonly (string | number)[]) => {
    const database = openDatabase(join(dataDir, 'log.sqlite'));
    const row = database.prepare(sql).get(...values);
    database.close();
    return row!;
  };
  const dataOf = (stream: string, revision: number): string =>
    String(inLog('SELECT data FROM events WHERE stream = ? AND revision = ?', stream, revision)['data']);
  const firstOf = (type: string): StreamName =>
    inLog('SELECT stream FROM events WHERE type = ?', type)['stream'] as StreamName;

  it('makes routes that need it 503 with Retry-After, and stops no other route', async () => {
    await restart(() => {
      sound = dataOf(artifact, 0);
      damageEvent(dataDir, artifact, 0);
    });
    const ready = await readiness(await service.signIn('alice'));
    expect(ready.status).to.equal(503);
    const { details } = (await ready.json()) as { details: { unserved: unknown } };
    expect(details.unserved).to.deep.equal(NEEDED);
    for (const path of [
      `/artifacts/${id}`,
      `/artifacts/${id + 1}`,
      `/artifacts/${id}/changesets`,
      `/artifacts/${id}/history`,
      `/artifacts/${id}/links`,
      `/artifacts/${id}/linked_artifacts?direction=forward&nature=`,
      `/trackers/${tracker.id}/artifacts`,
      `/trackers/${tracker.id}/artifacts?query=${encodeURIComponent('{"title":"One"}')}`,
    ]) {
      const answer = await service.get(path, { as: 'alice' });
      expect(answer.status, path).to.equal(503);
      expect(Number(answer.headers.get('retry-after')), path).to.be.greaterThan(0);
    }
    expect((await service.get('/projects', { as: 'alice' })).status).to.equal(200);
    expect((await service.get(`/trackers/${tracker.id}`, { as: 'alice' })).status).to.equal(200);
  });

  it('is reported in the log and the status, with the event and the remedy', async () => {
    const line = service.lines().find(({ projection }) => projection === 'artifacts');
    expect(line).to.include({ msg: 'projection stopped', isServed: false });
    expect(line?.['poison']).to.deep.include({ stream: artifact, revision: 0 });
    expect(line?.['remedy']).to.include('tracker-ledger rebuild artifacts');
    const { code, stdout } = await command(['status'], { DATA_DIR: dataDir });
    expect(code).to.equal(2);
    expect(stdout).to.match(
      new RegExp(`^artifacts +stopped .*${artifact} .*answered 503.*tracker-ledger rebuild artifacts`, 'm'),
    );
  });

  it('serves once it is rebuilt from a log that is mended, and the service is ready without a restart', async () => {
    damageEvent(dataDir, artifact, 0, sound);
    expect((await command(['rebuild', ...NEEDED], { DATA_DIR: dataDir })).code).to.equal(0);
    expect((await readiness()).status).to.equal(200);
    expect((await service.get(`/artifacts/${id}`, { as: 'alice' })).body.title).to.equal('One');
  });

  it('refuses all sign-ins if it is that of users, and anonymous access if it is that of settings', async () => {
    await restart(() => {
      for (const stream of [firstOf('UserRegistered'), PLATFORM_STREAM]) damageEvent(dataDir, stream, 0);
    });
    const basic = `Basic ${Buffer.from("alice:alice's password").toString('base64')}`;
    for (const headers of [{}, { Authorization: basic }]) {
      expect((await service.get('/projects', { headers })).status).to.equal(503);
    }
    const body = { username: 'alice', password: "alice's password" };
    expect((await service.post('/tokens', { body })).status).to.equal(503);
  });
});
