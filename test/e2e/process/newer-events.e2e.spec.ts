import { join } from 'node:path';
import { expect } from 'chai';
import { plantEvent } from '../../support/damaged-log.js';
import { command, killAll, PLATFORM_FILE, startService, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

describe('a service that starts over the log of a newer release', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  let service: ServiceProcess;

  before(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
    service = await startService(dataDir);
    await service.kill('SIGTERM');
    const metadata = JSON.stringify({ actor: null, at: '2026-03-01T12:00:00.000Z', schema: 2, commandId: 'c-1' });
    plantEvent(dataDir, 'platform-1', 'AnonymousAccessSet', { data: '{"allowed":{"from":"2026-03-01"}}', metadata });
    service = await startService(dataDir, { PLATFORM_FILE });
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  it('is ready, names the stream to operators, and keeps anonymous readers out', async () => {
    const ready = await fetch(`${service.url}/health/ready`, { headers: await service.signIn('alice') });
    expect(ready.status).to.equal(200);
    const { details } = (await ready.json()) as { readonly details: { readonly unavailable: readonly object[] } };
    expect(details.unavailable).to.have.length(1);
    expect(details.unavailable[0]).to.include({ projection: 'platform', stream: 'platform-1', schema: 2 });

    const { code, stdout } = await command(['status'], { DATA_DIR: dataDir });
    expect(code).to.equal(0);
    expect(stdout).to.match(/^platform +live .*\n {2}unavailable: platform-1 from revision \d+ on; /m);
    expect((await service.get('/projects')).status).to.equal(503);
    expect((await service.get('/users/self', { as: 'alice' })).status).to.equal(200);
    const lines = service.lines().map(({ msg }) => msg);
    expect(lines.filter((msg) => msg === 'stream marked as unavailable')).to.have.length(1);
    expect(lines).to.include('PLATFORM_FILE is not applied: streams are unavailable');
  });
});

describe('a platform file over the log of a newer release', () => {
  after(killAll);

  it('is applied where a stream is unavailable that no platform file is about', async () => {
    const directory = await temporaryDirectory();
    const dataDir = join(directory.path, 'data');
    const first = await startService(dataDir);
    await first.kill('SIGTERM');
    const metadata = JSON.stringify({ actor: null, at: '2026-03-01T12:00:00.000Z', schema: 1, commandId: 'c-1' });
    plantEvent(dataDir, 'svn-1', 'SvnRepositoryPraised', { data: '{}', metadata });
    const service = await startService(dataDir, { PLATFORM_FILE });
    const lines = service.lines().map(({ msg }) => msg);
    expect(lines).to.include('stream marked as unavailable');
    expect(lines).not.to.include('PLATFORM_FILE is not applied: streams are unavailable');
    await service.kill('SIGTERM');
    await directory.remove();
  });
});
