import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { killAll, NO_FILE, PLATFORM_FILE, startService, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf } from '../../support/tracker-of.js';

const ROUNDS = 4;

/** What the service has acknowledged, in all rounds. */
interface Acknowledged {
  /** Contents by file id. */
  readonly uploaded: Map<number, string>;
  /** Artifact ids by file id. */
  readonly attached: Map<number, number>;
  readonly deleted: Set<number>;
  /** Sent; the outcome does not matter here. */
  readonly doomed: Set<number>;
}

describe('uploads, attachments, deletions and archives', () => {
  let directory: TemporaryDirectory;
  let dataDir: string;
  let platform: string;
  let tracker: number;
  let fields: ReadonlyMap<string, number>;
  const known: Acknowledged = { uploaded: new Map(), attached: new Map(), deleted: new Set(), doomed: new Set() };

  before(async () => {
    directory = await temporaryDirectory();
    dataDir = join(directory.path, 'data');
    platform = join(directory.path, 'platform.yaml');
    const settings = 'artifact_deletion_limit: 100000\n  archive_deleted_artifacts: true';
    writeFileSync(platform, readFileSync(PLATFORM_FILE, 'utf8').replace('artifact_deletion_limit: 5', settings));
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  async function upload(service: ServiceProcess): Promise<number> {
    const content = `${'piece '.repeat(2000)}${known.uploaded.size}`;
    const half = Math.floor(content.length / 2);
    const start = { name: 'f.txt', mimetype: 'text/plain', content: base64(content.slice(0, half)) };
    const { status, body } = await service.post('/artifact_temporary_files', { as: 'carol', body: start });
    expect(status, JSON.stringify(body)).to.equal(201);
    const rest = { offset: 2, content: base64(content.slice(half)) };
    const added = await service.put(`/artifact_temporary_files/${body.id}`, { as: 'carol', body: rest });
    expect(added.status, JSON.stringify(added.body)).to.equal(200);
    known.uploaded.set(body.id, content);
    return body.id;
  }

  async function create(service: ServiceProcess, ...files: readonly number[]): Promise<number> {
    const values = [
      { field_id: fields.get('title'), value: 'a' },
      { field_id: fields.get('attachments'), value: files },
    ];
    const { status, body } = await service.post('/artifacts', {
      as: 'carol',
      body: { tracker: { id: tracker }, values },
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  }

  async function attach(service: ServiceProcess): Promise<void> {
    const file = await upload(service);
    known.attached.set(file, await create(service, file));
  }

  async function remove(service: ServiceProcess): Promise<void> {
    const id = await create(service, await upload(service));
    known.doomed.add(id);
    const { status } = await service.request('DELETE', `/artifacts/${id}`, { as: 'bob' });
    expect(status).to.equal(200);
    known.deleted.add(id);
  }

  /** Until the service dies under it. */
  async function work(service: ServiceProcess, deed: (service: ServiceProcess) => Promise<void>): Promise<void> {
    while (service.child.exitCode === null && service.child.signalCode === null) {
      try {
        await deed(service);
      } catch (error) {
        // What fetch says of a connection that has broken.
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }

  const archives = (): readonly string[] =>
    existsSync(join(dataDir, 'archive')) ? readdirSync(join(dataDir, 'archive')) : [];

  const archived = (id: number): readonly string[] =>
    archives().filter((name) => new RegExp(`^deleted_artifact_${id}_\\w+\\.xml$`).test(name));

  async function filesAreWhole(service: ServiceProcess): Promise<void> {
    for (const [file, content] of known.uploaded) {
      const { status, body } = await service.get(`/artifact_files/${file}`, { as: 'carol' });
      const artifact = known.attached.get(file);
      if (artifact !== undefined) expect(await filesOf(service, artifact)).to.deep.equal([file]);
      expect(artifact === undefined || status === 200, `file ${file}`).to.equal(true);
      if (status === 200) expect(Buffer.from(body.data, 'base64').toString()).to.equal(content);
    }
  }

  async function filesOf(service: ServiceProcess, artifact: number): Promise<readonly number[]> {
    const { body } = await service.get(`/artifacts/${artifact}`);
    const isTheField = ({ field_id: id }: { field_id: number }): boolean => id === fields.get('attachments');
    return body.values.find(isTheField).file_descriptions.map(({ id }: { id: number }) => id);
  }

  async function deletionsAreArchived(service: ServiceProcess): Promise<void> {
    for (const id of known.doomed) {
      const isGone = (await service.get(`/artifacts/${id}`)).status === 404;
      expect(isGone || !known.deleted.has(id), `artifact ${id}`).to.equal(true);
      for (let waited = 0; isGone && archived(id).length === 0 && waited < 100; waited += 1) await setTimeout(50);
      expect(archived(id), `archives of artifact ${id}`).to.have.length(isGone ? 1 : 0);
    }
    expect(archives().filter((name) => name.startsWith('.'))).to.deep.equal([]);
  }

  it('are whole or not at all, and each acknowledged one is there, however often the service is killed', async function () {
    this.timeout(240_000);
    let service = await startService(dataDir, { PLATFORM_FILE: platform });
    ({ id: tracker, fields } = await trackerOf(service, 'bug'));

    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all([service.signIn('carol'), service.signIn('bob')]);
      const deeds = [attach, attach, remove, remove].map((deed) => work(service, deed));
      const [attached, deleted] = [known.attached.size, known.deleted.size];
      while (known.attached.size < attached + 2 || known.deleted.size < deleted + 2) await setTimeout(5);
      await setTimeout(130 * round);
      await service.kill('SIGKILL');
      await Promise.all(deeds);
      service = await startService(dataDir, NO_FILE);
      await filesAreWhole(service);
      await deletionsAreArchived(service);
    }
    expect(known.attached.size).to.be.above(ROUNDS);
    expect(known.deleted.size).to.be.above(ROUNDS);
    await service.kill('SIGTERM');
  });
});
