import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { artifactStream, type ArtifactEvent } from '../../src/artifacts/artifact-events.js';
import { ARTIFACTS } from '../../src/artifacts/artifact-view.js';
import { changeArtifact, submitArtifact } from '../../src/artifacts/commands.js';
import { viewer } from '../../src/authorization/viewer.js';
import { artifactPorts } from '../../src/composition/http-server.js';
import { withIds } from '../../src/core/event-id.js';
import { pausingLog } from '../support/pausing-log.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';
import { artifactApi, type ArtifactApi } from './artifact-api.js';

describe('the instants of an artifact', () => {
  let api: ArtifactApi;
  let directory: TemporaryDirectory;
  const clockIs = (seconds: number): void => {
    writeFileSync(join(directory.path, 'offset'), String(seconds));
  };
  before(async () => {
    directory = await temporaryDirectory();
    // A token is refused before its issue.
    clockIs(-7200);
    api = await artifactApi({ env: { TEST_CLOCK_OFFSET_FILE: join(directory.path, 'offset') } });
    await api.signIn('carol');
  });
  after(async () => {
    await api.stop();
    await directory.remove();
  });
  beforeEach(() => {
    clockIs(0);
  });

  const instantsOf = async (id: number): Promise<readonly string[]> =>
    (await api.service.log.read(artifactStream(id))).events.map(({ metadata: { at } }) => at);
  const lastModified = async (id: number): Promise<number> =>
    Date.parse((await api.read(id)).headers.get('last-modified') ?? '');

  /** As a release wrote it that took whatever instant the clock told. */
  const appendedAt = async (id: number, at: string, values: Readonly<Record<string, unknown>>): Promise<void> => {
    const stream = artifactStream(id);
    const { revision } = await api.service.log.read<ArtifactEvent>(stream);
    const data = { artifactId: id, trackerId: api.tracker('bug'), values };
    const commandId = `${id} at ${at}`;
    const metadata = { actor: api.user('bob'), at, schema: 1, commandId };
    const events = withIds(stream, commandId, [{ type: 'ArtifactValuesChanged', data }]);
    const { position } = await api.service.log.append(stream, revision, events, metadata);
    await api.service.readModels.caughtUp(ARTIFACTS, position);
  };

  it('never go back when the clock does, with any kind of change', async () => {
    const target = await api.created();
    const id = await api.created();
    const before = await lastModified(id);
    clockIs(-3600);
    const { headers } = await api.change(id, [api.titled('Second')]);
    expect(Date.parse(headers.get('last-modified') ?? '')).to.equal(before);
    // Written into the artifact at the other end.
    await api.changed(target, [api.set('links', { parent: { id } })]);
    expect(await lastModified(id)).to.equal(before);
    clockIs(-7200);
    await api.changed(id, [api.titled('Third')]);
    expect(await lastModified(id)).to.equal(before);
    const instants = await instantsOf(id);
    expect(instants).to.have.length(4);
    expect(instants).to.deep.equal(instants.toSorted());
    expect((await api.get(`/artifacts/${id}?at=${instants[0] ?? ''}`)).headers.get('etag')).to.equal('"3"');
  });

  it('let what was last modified be asked for again as a precondition after the clock went back', async () => {
    const id = await api.created();
    clockIs(-3600);
    const { headers } = await api.change(id, [api.titled('Second')]);
    const condition = { headers: { 'If-Unmodified-Since': headers.get('last-modified') ?? '' } };
    expect((await api.change(id, [api.titled('Third')], condition)).status).to.equal(200);
  });

  it('are those of the append where a write is held up by its claims', async () => {
    const { service } = api;
    const log = pausingLog(service.log);
    const ports = { ...artifactPorts(service), log };
    const caller = {
      viewer: viewer(service.definitions, service.definitions.userNamed('bob') ?? null),
      requestId: 'r',
    };
    const tagged = (label: string) => ({
      values: [api.titled('Held up'), api.set('tags', { bind_value_ids: [label] })],
    });
    /** Held up for a minute between its start and its append. */
    const heldUp = async <T>(paused: Promise<() => void>, write: Promise<T>): Promise<T> => {
      const goOn = await paused;
      clockIs(60);
      goOn();
      return write;
    };
    const isClaim = (stream: string): boolean => stream.startsWith('openvalues-');
    const isLate = async (id: number) => Date.parse((await instantsOf(id)).at(-1) ?? '') > Date.now() + 30_000;

    const artifactId = await ports.nextArtifactId();
    const identify = () => Promise.resolve({ artifactId, commandId: 'held-up' });
    const submission = { trackerId: api.tracker('bug'), written: tagged('late one'), identify };
    const submitted = await heldUp(log.pauseAt(isClaim), submitArtifact(submission, ports, caller));
    expect([await isLate(artifactId), submitted.lastModified]).to.deep.equal([true, (await instantsOf(artifactId))[0]]);

    clockIs(0);
    const id = await api.created();
    const change = { artifactId: id, written: tagged('late two'), comment: undefined, precondition: () => true };
    const changed = await heldUp(log.pauseAt(isClaim), changeArtifact(change, ports, caller));
    expect([await isLate(id), changed.lastModified]).to.deep.equal([true, (await instantsOf(id))[1]]);
    expect(Date.parse(String((await api.read(id)).body.last_modified_date))).to.equal(await lastModified(id));
  });

  it('show, where an older log goes back in time, a state that the artifact was in', async () => {
    const minute = (offset: number): string => new Date(start + 60_000 * offset).toISOString();
    const id = await api.created();
    const start = Date.parse((await instantsOf(id))[0] ?? '');
    const title = String(api.field('bug', 'title'));
    const description = String(api.field('bug', 'description'));
    await appendedAt(id, minute(20), { [description]: { text: 'Described', format: 'text' } });
    await appendedAt(id, minute(10), { [title]: 'Second' });
    await appendedAt(id, minute(30), { [title]: 'Third' });

    const revisionAt = async (offset: number): Promise<string> => {
      const then = await api.get(`/artifacts/${id}?at=${minute(offset)}`);
      const revision = (then.headers.get('etag') ?? '').replaceAll('"', '');
      expect(then.body).to.deep.equal((await api.get(`/artifacts/${id}?revision=${revision}`)).body);
      return revision;
    };
    expect(await revisionAt(0)).to.equal('0');
    expect(await revisionAt(9)).to.equal('0');
    expect(await revisionAt(10)).to.equal('2');
    expect(await revisionAt(20)).to.equal('2');
    expect(await revisionAt(30)).to.equal('3');
  });
});
