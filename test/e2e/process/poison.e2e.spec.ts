import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { basic } from '../../http/toy-app.js';
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
    await appendByHand(dataDir, 'user-4711', 'UserRenamed', { userId: 4711, realName: 'Nobody' });
    service = await startService(dataDir, { TEST_CLOCK_OFFSET_FILE: join(directory.path, 'offset') });
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
    expect(details.projections.map(({ projection, state }) => `${projection} ${state}`)).to.have.members([
      'trackers stopped',
      'users stopped',
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

  it('delays a write by a second at most', async () => {
    const headers = await service.signIn('bob');
    const started = performance.now();
    expect((await service.request('DELETE', '/tokens', { headers })).status).to.equal(200);
    expect(performance.now() - started).to.be.within(900, 4000);
  });

  it('makes credentials invalid after ten seconds if it is the projection of users, and lets others in', async () => {
    expect((await service.get('/users/self', { as: 'carol' })).status).to.equal(200);
    writeFileSync(join(directory.path, 'offset'), '11');
    const body = { username: 'carol', password: "carol's password" };
    for (const refused of [
      await service.get('/users/self', { as: 'carol' }),
      await service.get('/users/self', { headers: basic(body.username, body.password) }),
      await service.post('/tokens', { body }),
    ]) {
      expect(refused.status).to.equal(503);
      expect(refused.headers.get('retry-after')).to.equal('5');
    }
    expect((await service.get('/projects')).status).to.equal(200);
  });

  it('keeps its read models if a rebuild meets the event again', async () => {
    const { code, stdout } = await command(['rebuild', 'trackers'], { DATA_DIR: dataDir });
    expect(code).to.equal(1);
    expect(stdout).to.match(/^trackers: not rebuilt, .*tracker-4711 at position/m);
    expect((await service.get('/projects')).status).to.equal(200);
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
  });
});

describe('a projection of projects that stopped', () => {
  let directory: TemporaryDirectory;
  after(async () => {
    await killAll();
    await directory.remove();
  });

  it('lets no removed member in once it has stood still for ten seconds', async () => {
    directory = await temporaryDirectory();
    const dataDir = join(directory.path, 'data');
    await (await startService(dataDir)).kill('SIGTERM');
    await appendByHand(dataDir, 'project-4711', 'ProjectRenamed', { projectId: 4711, label: 'None' });
    const service = await startService(dataDir, { TEST_CLOCK_OFFSET_FILE: join(directory.path, 'offset') });
    const projects = (await service.get('/projects', { as: 'alice' })).body as { id: number; shortname: string }[];
    const hydra = projects.find(({ shortname }) => shortname === 'hydra')!.id;
    const removed = { as: 'alice', body: [] };
    expect((await service.put(`/user_groups/${hydra}_3/users`, removed)).status).to.equal(200);
    const carols = [await service.signIn('carol'), basic('carol', "carol's password")];
    writeFileSync(join(directory.path, 'offset'), '11');
    for (const headers of carols) {
      expect((await service.get(`/projects/${hydra}`, { headers })).status).to.equal(503);
    }
    expect((await service.get(`/projects/${hydra}`)).status).to.equal(200);
  });
});
