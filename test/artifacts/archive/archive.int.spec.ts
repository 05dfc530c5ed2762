import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { archiveIn } from '../../../src/artifacts/archive/commands.js';
import { writeArchiveFile } from '../../../src/artifacts/archive/archive-file.js';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { handle } from '../../../src/core/handle.js';
import { type EventLog } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { archiveQuietly, carryOutDeletion } from '../../../src/artifacts/deletions/commands.js';
import { type DeletionPorts } from '../../../src/artifacts/deletions/ports.js';
import { interruptedArchives, interruptedDeletions } from '../../../src/artifacts/deletions/recovery.js';
import { projectDecider } from '../../../src/projects/project.js';
import { projectStream } from '../../../src/projects/project-events.js';
import { trackerDecider } from '../../../src/trackers/tracker.js';
import { trackerStream } from '../../../src/trackers/tracker-events.js';
import { resumed } from '../../support/resumed.js';
import { freshDeletionApi, type DeletionApi } from '../deletions/deletion-api.js';
import { at, readXml, validate, type Read } from './archive-schema.js';

const NASTY = 'bell \u0007, <tag> & ]]>, tab\t, \u{1F600}';

const valueOf = (changeset: Read | undefined, name: string): Read | undefined =>
  changeset?.children.find(({ attributes }) => attributes['name'] === name);
const attributesOf = (read: Read | undefined): Read['attributes'] => read?.attributes ?? {};
const textOf = (read: Read | undefined): string | undefined => read?.text;
const labelsIn = (value: Read | undefined): readonly string[] => (value?.children ?? []).map(({ text }) => text);
const LINES = `one\r\n${NASTY}\nthree`;

describe('the archive of deleted artifacts', () => {
  let api: DeletionApi;
  let directory: string;
  before(async () => {
    api = await freshDeletionApi();
    directory = api.archiveDir;
    await api.settings({ type: 'SetDeletionLimit', limit: 100 });
    await api.settings({ type: 'SetArchiving', enabled: true });
  });
  after(() => api.stopAll());

  const filesOf = (id: number, of = directory): readonly string[] =>
    readdirSync(of).filter((name) => name.includes(`_${id}_`));
  const archiveOf = (id: number, of = directory): string => readFileSync(join(of, filesOf(id, of)[0]!), 'utf8');
  const typesOf = async (id: number): Promise<readonly string[]> =>
    (await api.service.log.read<ArtifactEvent>(artifactStream(id))).events.map(({ type }) => type);
  const deleted = async (id: number): Promise<void> => {
    expect((await api.remove(id)).status).to.equal(200);
  };

  it('holds one document for each, readable by its owner only', async () => {
    const id = await api.created();
    await deleted(id);
    expect(filesOf(id)).to.have.length(1);
    expect(filesOf(id)[0]).to.match(/^deleted_artifact_\d+_\d{8}T\d{6}Z\.xml$/);
    expect(statSync(join(directory, filesOf(id)[0]!)).mode & 0o137).to.equal(0);
    expect(statSync(directory).mode & 0o077).to.equal(0);
    expect((await typesOf(id)).slice(-2)).to.deep.equal(['ArtifactDeleted', 'ArtifactArchived']);
    expect((await api.read(id)).status).to.equal(404);
  });

  it('holds the whole history of the artifact, and matches its schema', async () => {
    const target = await api.created();
    const id = await api.created([
      api.titled(NASTY),
      api.set('description', { value: { content: `<p>${LINES}</p>`, format: 'html' } }),
      api.set('status_id', { bind_value_ids: [api.value('bug', 'status_id', 'New')] }),
      api.set('assigned_to', { bind_value_ids: [api.user('carol')] }),
      api.set('tags', { value: { bind_value_objects: [{ label: 'urgent' }, { label: `new ${NASTY}` }] } }),
      api.set('due', { value: '2024-03-05' }),
      api.set('effort', { value: 2.5 }),
      api.set('remaining', { manual_value: 3 }),
      api.set('links', { links: [{ id: target, type: '_is_child' }] }),
    ]);
    const source = await api.created([api.set('links', { links: [{ id, type: 'fixed_in' }] })]);
    const note = { body: `Said: ${LINES}`, format: 'text' };
    await api.changed(id, [api.set('effort', { value: null }), api.titled('Second')], { comment: note });
    const beforeEnd = await api.service.log.read<ArtifactEvent>(artifactStream(id));
    await deleted(id);

    const text = archiveOf(id);
    validate(text);
    const archive = readXml(text);
    expect(archive.attributes).to.include({
      id: String(id),
      revision: String(beforeEnd.revision + 1),
      deleted_by: String(api.user('bob')),
      deleted_by_name: 'bob',
    });
    expect(attributesOf(at(archive, 'project')[0])['shortname']).to.equal('hydra');
    expect(attributesOf(at(archive, 'tracker')[0])['item_name']).to.equal('bug');
    expect(at(archive, 'tracker/fields/field').map(({ attributes }) => attributes['name'])).to.include('details');
    expect(at(archive, 'tracker/workflow/transition')).to.have.length(5);

    const [first, second] = at(archive, 'changesets/changeset');
    expect(attributesOf(first)['by_name']).to.equal('carol');
    expect(textOf(valueOf(first, 'title'))).to.equal(NASTY);
    expect(valueOf(first, 'description')).to.deep.include({ text: `<p>${LINES}</p>` });
    expect(attributesOf(valueOf(first, 'description'))).to.include({ format: 'html', type: 'text' });
    expect(labelsIn(valueOf(first, 'assigned_to'))).to.deep.equal(['carol']);
    expect(labelsIn(valueOf(first, 'tags'))).to.deep.equal(['urgent', `new ${NASTY}`]);
    expect(textOf(valueOf(first, 'due'))).to.equal('2024-03-05');
    expect(second?.children[0]).to.deep.include({ name: 'comment', text: `Said: ${LINES}` });
    expect(attributesOf(valueOf(second, 'effort'))).to.include({ empty: 'true' });
    const [last] = at(archive, 'values');
    expect(textOf(valueOf(last, 'title'))).to.equal('Second');
    expect(labelsIn(valueOf(last, 'status_id'))).to.deep.equal(['New']);
    expect(at(archive, 'links/link').map(({ attributes }) => attributes)).to.deep.equal([
      { direction: 'forward', id: String(target), type: '_is_child', field_id: String(api.field('bug', 'links')) },
      { direction: 'reverse', id: String(source), type: 'fixed_in' },
    ]);
  });

  it('holds all of a history that is longer than one reading', async () => {
    const id = await api.created();
    const metadata = { actor: api.user('carol'), at: api.service.clock().toISOString(), schema: 1 };
    const comment = { text: 'x'.repeat(900_000), format: 'text' };
    for (let revision = 0; revision < 12; revision += 1) {
      const data = { artifactId: id, trackerId: api.tracker('bug'), values: {}, comment };
      const event = { id: randomUUID(), type: 'ArtifactValuesChanged', data };
      await api.service.log.append(artifactStream(id), revision, [event], { ...metadata, commandId: randomUUID() });
    }
    await api.caughtUp();
    await deleted(id);
    const changesets = at(readXml(archiveOf(id)), 'changesets/changeset');
    expect(changesets.map(({ attributes }) => Number(attributes['revision']))).to.deep.equal([...Array(13).keys()]);
  });

  it('is not written if the platform turns archives off', async () => {
    await api.settings({ type: 'SetArchiving', enabled: false });
    const id = await api.created();
    await deleted(id);
    await api.settings({ type: 'SetArchiving', enabled: true });
    await api.caughtUp();
    await recover();
    expect(filesOf(id)).to.deep.equal([]);
    expect((await typesOf(id)).at(-1)).to.equal('ArtifactDeleted');
  });

  const recover = async (): Promise<void> => {
    const before = new Date(Date.now() + 1000);
    await resumed(interruptedDeletions(api.ports()), before);
    await resumed(interruptedArchives(api.ports()), before);
  };

  /** A log that dies before it takes the fact that an archive is written. */
  const dyingBefore = (type: string, ports: DeletionPorts): EventLog => ({
    ...ports.log,
    append: (stream, expected, events, metadata) =>
      events.some((event) => event.type === type)
        ? Promise.reject(new Error('the process died here'))
        : ports.log.append(stream, expected, events, metadata),
  });

  it('keeps the bytes of the files beside the document, with their digest', async () => {
    const pieces = ['first piece, ', 'second \u0000 piece'];
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const started = await api.post('/artifact_temporary_files', {
      as: 'carol',
      body: { name: '../../evil.txt', mimetype: 'text/plain', content: base64(pieces[0]!) },
    });
    const file: number = started.body.id;
    await api.put(`/artifact_temporary_files/${file}`, {
      as: 'carol',
      body: { offset: 2, content: base64(pieces[1]!) },
    });
    const id = await api.created([api.set('attachments', { value: [file] })]);
    await deleted(id);

    const text = readFileSync(
      join(
        directory,
        filesOf(id).find((name) => name.endsWith('.xml'))!,
      ),
      'utf8',
    );
    validate(text);
    const { path, digest, size } = attributesOf(at(readXml(text), 'attachments/attachment')[0]);
    expect(path).to.match(new RegExp(`^deleted_artifact_${id}_\\w+/${file}$`));
    const bytes = readFileSync(join(directory, path!));
    expect(bytes.toString()).to.equal(pieces.join(''));
    expect(Number(size)).to.equal(bytes.length);
    expect(digest).to.equal(createHash('sha256').update(bytes).digest('hex'));
  });

  it('is written again after a crash, with the same bytes, as the tracker and its project were then', async () => {
    const id = await api.created([api.titled(NASTY)]);
    const source = await api.created([api.set('links', { links: [{ id, type: '' }] })]);
    rmSync(directory, { recursive: true });
    writeFileSync(directory, 'no directory');
    await deleted(id);
    expect((await typesOf(id)).at(-1), 'a failure of the archive is none of the deletion').to.equal('ArtifactDeleted');
    rmSync(directory);

    const elsewhere = join(api.scratch, 'elsewhere');
    const log = dyingBefore('ArtifactArchived', api.ports());
    const dying = { ...api.ports(), archive: archiveIn(elsewhere, { ...api.service, ...api.ports(), log }) };
    await archiveQuietly(id, dying);
    expect((await typesOf(id)).at(-1)).to.equal('ArtifactDeleted');
    const first = archiveOf(id, elsewhere);

    await handle(api.service.log, trackerDecider, {
      stream: trackerStream(api.tracker('bug')),
      commandId: 'spec rename',
      metadata: { actor: null, at: '2026-03-01T00:00:00.000Z' },
      command: () =>
        ({
          type: 'RenameTracker',
          trackerId: api.tracker('bug'),
          label: 'x',
          description: '',
          color: 'fiesta-red',
        }) as const,
    });
    const { id: projectId } = api.service.definitions.projectNamed('hydra')!;
    await handle(api.service.log, projectDecider, {
      stream: projectStream(projectId),
      commandId: 'spec rename of the project',
      metadata: { actor: null, at: '2026-03-01T00:00:00.000Z' },
      command: () => ({ type: 'RenameProject', projectId, label: 'y', description: '' }) as const,
    });
    await api.changed(source, [api.set('links', { links: [] })]);
    await api.caughtUp();
    await recover();
    expect(archiveOf(id)).to.equal(first);
    expect((await typesOf(id)).at(-1)).to.equal('ArtifactArchived');
    expect(at(readXml(first), 'links/link')[0]?.attributes).to.include({ direction: 'reverse', id: String(source) });
    await api.caughtUp();
    await recover();
    expect((await typesOf(id)).filter((type) => type === 'ArtifactArchived')).to.have.length(1);
  });

  it('is complete or absent, after any leftovers of earlier tries', async () => {
    const target = join(api.scratch, 'drafts');
    mkdirSync(target);
    chmodSync(target, 0o700);
    await api.settings({ type: 'SetArchiving', enabled: true });
    const id = await api.created();
    const ports = api.ports(target);
    rmSync(directory, { recursive: true, force: true });
    writeFileSync(directory, 'no directory');
    await deleted(id);
    rmSync(directory);
    const { events } = await api.service.log.read<ArtifactEvent>(artifactStream(id));
    const time = events.at(-1)!.metadata.at.slice(0, 19).replaceAll(/[-:]/g, '');
    writeFileSync(join(target, `.deleted_artifact_${id}_${time}Z.xml.draft`), '<half', { mode: 0o600 });
    await Promise.all([ports.archive(id), ports.archive(id), ports.archive(id)]);
    expect(readdirSync(target)).to.deep.equal([`deleted_artifact_${id}_${time}Z.xml`]);
    validate(archiveOf(id, target));
    expect((await typesOf(id)).filter((type) => type === 'ArtifactArchived')).to.have.length(1);
  });

  it('waits for the links that the read models do not show yet, and the recovery then writes them', async () => {
    const id = await api.created();
    const source = await api.created([api.set('links', { links: [{ id, type: 'fixed_in' }] })]);
    const by = { actor: api.user('bob'), at: api.service.clock().toISOString() };
    const deletion = { id: randomUUID(), userId: api.user('bob'), artifactId: id, at: by.at };
    const behind = { ...api.service.readModels, caughtUp: () => Promise.resolve(false) };
    const refusal: unknown = await carryOutDeletion(deletion, { ...api.ports(), readModels: behind }, by).catch(
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(Problem).with.property('kind', 'unavailable');
    expect(await typesOf(id)).to.deep.equal(['ArtifactSubmitted']);
    await carryOutDeletion(deletion, api.ports(), by);
    await api.caughtUp();
    await recover();
    expect(at(readXml(archiveOf(id)), 'links/link')[0]?.attributes).to.include({ id: String(source) });
  });

  it('is reported by the recovery as failing work while it cannot be written', async () => {
    const id = await api.created();
    const by = { actor: api.user('bob'), at: api.service.clock().toISOString() };
    const deletion = { id: randomUUID(), userId: api.user('bob'), artifactId: id, at: by.at };
    await carryOutDeletion(deletion, api.ports(), by);
    await api.caughtUp();
    const archive = () => Promise.reject(new Error('no room'));
    const items = await interruptedArchives({ ...api.ports(), archive }).find(new Date());
    const item = items.find((one) => one.id === String(id));
    const failure: unknown = await item?.resume().catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error).with.property('message', 'no room');
    expect(item?.triedAt, 'right after the deletion').to.equal(by.at);
    await recover();
    expect(archiveOf(id)).to.include('<?xml');
  });

  it('is whole when two processes write it at once, and leaves no drafts', async () => {
    const target = join(api.scratch, 'twice');
    const pieces = async function* (pause: Promise<void>) {
      yield Buffer.from('first ');
      await pause;
      yield Buffer.from('second');
    };
    mkdirSync(target);
    writeFileSync(join(target, '.a.xml.draft'), 'left behind');
    let goOn = (): void => undefined;
    const paused = new Promise<void>((resolve) => (goOn = resolve));
    const slow = writeArchiveFile(target, 'a.xml', pieces(paused));
    await writeArchiveFile(target, 'a.xml', pieces(Promise.resolve()));
    expect(readFileSync(join(target, 'a.xml'), 'utf8')).to.equal('first second');
    goOn();
    await slow;
    expect(readdirSync(target)).to.deep.equal(['a.xml']);
    expect(readFileSync(join(target, 'a.xml'), 'utf8')).to.equal('first second');
  });
});
