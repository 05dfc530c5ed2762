import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type StreamName } from '../../../src/core/event-log.js';
import { basic } from '../../http/toy-app.js';
import { HALF, plantEvent } from '../../support/damaged-log.js';
import { killAll, command, startService, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf } from '../../support/tracker-of.js';
import { appendByHand } from './big-log.js';

const status = async (dataDir: string) => command(['status'], { DATA_DIR: dataDir });

describe('a projection that meets an event it cannot apply', () => {
  let directory: TemporaryDirectory;
  let service: ServiceProcess;
  let dataDir: string;
  before(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
    service = await startService(dataDir);
    expect(await status(dataDir)).to.include({ code: 0, stderr: '' });
    await service.kill('SIGTERM');
    await appendByHand(dataDir, 'tracker-4711', 'TrackerRenamed', { trackerId: 4711, label: 'None' });
    service = await startService(dataDir);
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  it('stops alone, and names the event and the reason', async () => {
    const line = service.lines().find(({ projection }) => projection === 'trackers');
    expect(line).to.include({ level: 50, msg: 'projection stopped' });
    expect(line?.['poison']).to.deep.include({ type: 'TrackerRenamed', stream: 'tracker-4711', revision: 0 });
    expect(line?.['reason']).to.match(/position [0-9a-f]{16}: the tracker was never defined/);

    const ready = await fetch(`${service.url}/health/ready`, { headers: await service.signIn('alice') });
    expect(ready.status).to.equal(200);
    const { details } = (await ready.json()) as { details: { projections: { projection: string; state: string }[] } };
    expect(details.projections.map(({ projection, state }) => `${projection} ${state}`)).to.deep.equal([
      'trackers stopped',
    ]);
    const { code, stdout } = await status(dataDir);
    expect(code).to.equal(2);
    expect(stdout).to.match(/^trackers +stopped .*the tracker was never defined; /m);
    expect(stdout).to.match(/^artifacts +live /m);
  });

  it('stops neither writes nor other reads of the service', async () => {
    const note = await trackerOf(service, 'note');
    const body = { tracker: { id: note.id }, values_by_field: { title: { value: 'Still here' } } };
    const made = await service.post('/artifacts', { as: 'alice', body });
    expect(made.status).to.equal(201);
    expect((await service.get(`/artifacts/${String(made.body.id)}`)).body.title).to.equal('Still here');
  });

  it('keeps its read models if a rebuild meets the event again', async () => {
    const { code, stdout } = await command(['rebuild', 'svn', 'trackers', 'users'], { DATA_DIR: dataDir });
    expect(code).to.equal(1);
    expect(stdout).to.match(/^trackers: not rebuilt, .*tracker-4711 at position/m);
    expect(stdout.match(/^\w+: \d+ events in/gm)).to.have.length(2);
    expect((await service.get('/projects')).status).to.equal(200);
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
  });
});

describe('a projection of users or groups that stopped', () => {
  let directory: TemporaryDirectory;
  let service: ServiceProcess;
  let dataDir: string;
  let carols: Record<string, string>;
  before(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
    service = await startService(dataDir, { TEST_CLOCK_OFFSET_FILE: join(directory.path, 'offset') });
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  const stopped = async (stream: StreamName, type: string): Promise<void> => {
    const metadata = JSON.stringify({ actor: null, at: new Date().toISOString(), schema: 1, commandId: 'planted' });
    plantEvent(dataDir, stream, type, { data: HALF, metadata });
    // Which makes the projections read it.
    const note = await trackerOf(service, 'note');
    const body = { tracker: { id: note.id }, values_by_field: { title: { value: 'Later' } } };
    expect((await service.post('/artifacts', { as: 'alice', body })).status).to.equal(201);
    await service.says(/"msg":"projection stopped"/);
  };
  const refused = async (path: string, headers: Record<string, string>): Promise<void> => {
    while ((await service.get(path, { headers })).status !== 503) await pause(100);
  };

  it('delays a write by a second at most, and lets no removed member in after ten seconds', async () => {
    const projects = (await service.get('/projects', { as: 'alice' })).body as { id: number; shortname: string }[];
    const hydra = projects.find(({ shortname }) => shortname === 'hydra')!.id;
    carols = await service.signIn('carol');
    await stopped('project-4711', 'ProjectRenamed');
    const started = performance.now();
    const removed = { as: 'alice', body: [] };
    expect((await service.put(`/user_groups/${hydra}_3/users`, removed)).status).to.equal(200);
    expect(performance.now() - started).to.be.within(900, 4000);
    expect((await service.get(`/projects/${hydra}`, { headers: carols })).status).to.equal(200);
    // However the clock is set meanwhile.
    writeFileSync(join(directory.path, 'offset'), '-200');
    await refused(`/projects/${hydra}`, carols);
    const password = basic('carol', "carol's password");
    expect((await service.get(`/projects/${hydra}`, { headers: password })).status).to.equal(503);
    expect((await service.get(`/projects/${hydra}`)).status).to.equal(200);
  });

  it('has all credentials refused from the next start on', async () => {
    await service.kill('SIGTERM');
    service = await startService(dataDir);
    for (const answer of [
      await service.get('/users/self', { headers: carols }),
      await service.get('/users/self', { headers: basic('carol', "carol's password") }),
      await service.post('/tokens', { body: { username: 'carol', password: "carol's password" } }),
    ]) {
      expect(answer.status).to.equal(503);
      expect(answer.headers.get('retry-after')).to.equal('5');
    }
    expect((await service.get('/projects')).status).to.equal(200);
  });
});
