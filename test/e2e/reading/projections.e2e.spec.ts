/** Reading processes answer as the main process does while a projection has stopped, and again by themselves after it is mended. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type StreamName } from '../../../src/core/event-log.js';
import { openDatabase } from '../../../src/stores/sqlite/connection.js';
import { damageEvent, HALF, plantEvent } from '../../support/damaged-log.js';
import { command, killAll, launch, NO_FILE, unready, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf, type KnownTracker } from '../../support/tracker-of.js';
import {
  connections,
  connectionToMain,
  processOf,
  startReading,
  type Connection,
  type Headers,
} from './connections.js';

const PROCESSES = 2;
const CONNECTIONS = 4;

describe('reading processes beside a projection that stops at an event', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  let service: ServiceProcess;
  let readers: readonly Connection[];
  let main: Connection;
  let alice: Headers;
  let bug: KnownTracker;
  let user: StreamName;
  before(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
    service = await startReading(dataDir, PROCESSES);
    readers = connections(service, CONNECTIONS);
    main = connectionToMain(dataDir);
    alice = await service.signIn('alice');
    bug = await trackerOf(service, 'bug');
    user = `user-${String((await main.get('/users/self', alice)).body.id)}`;
  });
  after(async () => {
    for (const each of [...readers, main]) each.close();
    await killAll();
    await directory.remove();
  });

  const path = (): string => `/users/${user.slice('user-'.length)}`;
  const everyone = (asked: string) => Promise.all(readers.map((reader) => reader.get(asked, alice)));
  const answering = async (): Promise<readonly string[]> => {
    const names = new Set<string>();
    for (const reader of readers) names.add(await processOf(service, reader, alice));
    return [...names].sort();
  };
  /** Which makes the projections read what was planted. */
  const written = async (title: string): Promise<string> => {
    const values = [{ field_id: bug.fields.get('title')!, value: title }];
    const { status, body } = await main.send('POST', '/artifacts', alice, { tracker: { id: bug.id }, values });
    expect(status).to.equal(201);
    return `/artifacts/${String(body.id)}`;
  };
  const lastRevision = (): number => {
    const log = openDatabase(join(dataDir, 'log.sqlite'));
    const row = log.prepare('SELECT max(revision) AS last FROM events WHERE stream = ?').get(user);
    log.close();
    return Number(row?.['last']);
  };
  const sound = (): string => JSON.stringify({ userId: Number(user.slice('user-'.length)), realName: 'Mended' });

  it('pass on every request, and show writes all the same', async () => {
    expect(await answering()).to.deep.equal(['reading-1', 'reading-2']);
    const metadata = JSON.stringify({ actor: null, at: new Date().toISOString(), schema: 1, commandId: 'planted' });
    plantEvent(dataDir, user, 'UserRenamed', { data: HALF, metadata });
    await written('One');
    await service.says(/"msg":"projection stopped"/);
    await service.says(/"msg":"reading processes pass on every request"/);
    expect(await answering()).to.deep.equal(['main']);
    const made = await written('Two');
    for (const { body } of await everyone(made)) expect(body.title).to.equal('Two');
    for (const { body } of await everyone(path())) expect(body.real_name).to.not.equal('Mended');
  });

  it('accept no tokens longer than the main process does', async () => {
    let expected = await main.get('/users/self', alice);
    for (; expected.status !== 503; expected = await main.get('/users/self', alice)) await pause(100);
    for (const { status, headers, body } of await everyone('/users/self')) {
      expect([status, headers['retry-after'], body]).to.deep.equal([503, '5', expected.body]);
    }
  });

  it('answer again after a rebuild, from the generation that is served then', async () => {
    damageEvent(dataDir, user, lastRevision(), sound());
    const { code, stderr } = await command(['rebuild', 'users'], { DATA_DIR: dataDir });
    expect(code, stderr).to.equal(0);
    for (const { body } of await everyone(path())) expect(body.real_name).to.equal('Mended');
    await service.says(/"msg":"reading processes answer again"/);
    while ((await answering()).includes('main'));
    for (const { body } of await everyone(path())) expect(body.real_name).to.equal('Mended');
  });

  it('answer 503 as the main process does if nothing is served, until a rebuild', async () => {
    for (const each of [...readers, main]) each.close();
    await service.kill('SIGTERM');
    await rm(join(dataDir, 'read-models'), { recursive: true });
    damageEvent(dataDir, user, lastRevision());
    service = await unready(launch(dataDir, { ...NO_FILE, WORKERS: String(PROCESSES) }));
    await service.says(new RegExp(`"ready":${PROCESSES},"msg":"reading process ready"`));
    readers = connections(service, CONNECTIONS);
    for (const asked of [path(), '/projects', `/trackers/${bug.id}/artifacts`]) {
      const expected = await main.get(asked, alice);
      expect(expected.status).to.equal(503);
      for (const { status, body } of await everyone(asked)) expect([status, body]).to.deep.equal([503, expected.body]);
    }
    damageEvent(dataDir, user, lastRevision(), sound());
    expect(await command(['rebuild', 'users'], { DATA_DIR: dataDir })).to.include({ code: 0 });
    for (const { body } of await everyone(path())) expect(body.real_name).to.equal('Mended');
    await service.says(/"msg":"reading processes answer again"/);
    while ((await answering()).includes('main'));
    for (const { body } of await everyone(path())) expect(body.real_name).to.equal('Mended');
  });
});
