import { join } from 'node:path';
import { expect } from 'chai';
import { type Poison } from '../../../projections/engine/apply-batch.js';
import { type StreamName } from '../../../src/core/event-log.js';
import { damageEvent, plantEvent } from '../../support/damaged-log.js';
import { command, killAll, NO_FILE, startService, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

describe('a log with events that cannot be read', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  let service: ServiceProcess;
  let tracker: { readonly id: number; readonly label: string };
  let changed: StreamName;
  let damaged: number;
  let sound: number;

  before(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
    service = await startService(dataDir);
    tracker = await note();
    changed = `tracker-${tracker.id}`;
    damaged = await submit('One');
    sound = await submit('Two');
    await service.kill('SIGTERM');
    damageEvent(dataDir, `artifact-${damaged}`, 0);
    plantEvent(dataDir, changed, 'TrackerWorkflowChanged', { data: '"top secret"' });
    service = await startService(dataDir, NO_FILE);
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  const note = async () => {
    const [project] = (await service.get('/projects')).body as { id: number }[];
    const { body } = await service.get(`/projects/${project!.id}/trackers`);
    return (body as { id: number; label: string; item_name: string }[]).find(({ item_name: name }) => name === 'note')!;
  };
  const submit = async (title: string): Promise<number> => {
    const body = { tracker: { id: tracker.id }, values_by_field: { title: { value: title } } };
    const { status, body: made } = await service.post('/artifacts', { as: 'alice', body });
    expect(status).to.equal(201);
    return Number(made.id);
  };
  const status = async () => command(['status'], { DATA_DIR: dataDir });
  const rebuild = async (name: string) => command(['rebuild', name], { DATA_DIR: dataDir });

  it('stops the projections that need one of these events, and names the event and the reason', async () => {
    const stopped = service.lines().filter(({ msg }) => msg === 'projection stopped');
    expect(stopped.map(({ projection }) => projection)).to.deep.equal(['trackers']);
    expect(stopped[0]?.['poison']).to.deep.include({ type: 'TrackerWorkflowChanged', stream: changed });
    expect(stopped[0]?.['reason']).to.match(/position [0-9a-f]{16}: its data is no JSON object$/);
    expect((await fetch(`${service.url}/health/ready`)).status).to.equal(200);
  });

  it('is followed on by the others', async () => {
    const made = await submit('Three');
    expect((await service.get(`/artifacts/${made}`)).body.title).to.equal('Three');
    const { code, stdout } = await status();
    expect(code).to.equal(2);
    expect(stdout).to.match(/^trackers +stopped .*its data is no JSON object; .*tracker-ledger rebuild trackers/m);
    expect(stdout.match(/ live /g)).to.have.length(stdout.trim().split('\n').length - 1);
  });

  for (const [title, answer] of [
    ['a command', () => service.put(`/artifacts/${damaged}`, { as: 'alice', body: { values: [] } })],
    ['a history', () => service.get(`/artifacts/${damaged}/changesets`, { as: 'alice' })],
    ['an older state', () => service.get(`/artifacts/${damaged}?revision=0`, { as: 'alice' })],
  ] as const) {
    it(`is a defect to ${title} that needs one, of which the answer tells nothing`, async () => {
      const refused = await answer();
      expect(refused.status).to.equal(500);
      expect(refused.body).to.deep.equal({ error: { code: 500, message: 'Internal Server Error' } });
    });
  }

  it('serves earlier documents, and all other streams', async () => {
    expect((await service.get(`/artifacts/${damaged}`, { as: 'alice' })).body.title).to.equal('One');
    expect((await service.get(`/artifacts/${sound}/changesets`, { as: 'alice' })).status).to.equal(200);
  });

  it('fails a rebuild, and the serving generation stays', async () => {
    const { code, stdout } = await rebuild('artifacts');
    expect(code).to.equal(1);
    expect(stdout).to.match(
      new RegExp(`^artifacts: not rebuilt, .* revision 0 of artifact-${damaged} at position .*no JSON object`, 'm'),
    );
    expect((await service.get(`/artifacts/${damaged}`, { as: 'alice' })).body.title).to.equal('One');
    const made = await submit('Four');
    expect((await service.get(`/artifacts/${made}`)).body.title).to.equal('Four');
  });

  it('is read again by a rebuild after its repair', async () => {
    expect((await rebuild('trackers')).code).to.equal(1);
    const data = { trackerId: tracker.id, workflow: null };
    const { poison } = service.lines().find(({ msg }) => msg === 'projection stopped') as { poison: Poison };
    damageEvent(dataDir, changed, poison.revision, JSON.stringify(data));
    expect((await rebuild('trackers')).code).to.equal(0);
    expect((await status()).code).to.equal(0);
  });

  it('is reported in log lines with places and without contents', async () => {
    expect(await service.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    const defects = service.lines().filter(({ msg }) => msg === 'defect');
    expect(defects).to.have.length(3);
    for (const { err } of defects) {
      expect(err).to.have.property('type', 'UnreadableEvent');
      expect(err).to.have.property('message').that.includes(`artifact-${damaged} at revision 0`);
    }
    expect(service.stdout()).not.to.include('secret');
    expect(service.stderr()).to.equal('');
  });
});
