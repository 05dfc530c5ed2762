import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { handle } from '../../../src/core/handle.js';
import { deletionDecider } from '../../../src/artifacts/deletions/deletion-count.js';
import { deletionsStream, type DeletionEvent } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { pendingDeletionViews } from '../../../src/artifacts/deletions/pending-deletions-view.js';
import { interruptedArchives, interruptedDeletions } from '../../../src/artifacts/deletions/recovery.js';
import { resumed } from '../../support/resumed.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { allowance, deletionApi, type DeletionApi } from './deletion-api.js';

describe('a deletion that was cut off', () => {
  let files: TemporaryDirectory;
  let api: DeletionApi;
  beforeEach(async () => {
    files = await temporaryDirectory();
    api = await deletionApi(files);
  });
  afterEach(() => api.stopAll());

  const restart = async (): Promise<void> => {
    await api.stop();
    api = await deletionApi(files);
  };
  /** All that a request had done when its process died. */
  const countOnly = async (artifactId: number, deletionId: string, username = 'bob'): Promise<void> => {
    const userId = api.user(username);
    const at = api.service.clock().toISOString();
    await handle(api.service.log, deletionDecider, {
      stream: deletionsStream(userId),
      commandId: deletionId,
      metadata: { actor: userId, at },
      command: () => ({ type: 'CountDeletion', userId, artifactId, deletionId, at, limit: 5 }) as const,
    });
    await api.caughtUp();
  };
  const later = () => new Date(api.service.clock().getTime() + 1);
  const recover = async (before = later()): Promise<number> => {
    await api.caughtUp();
    const carried = await resumed(interruptedDeletions(api.ports()), before);
    await resumed(interruptedArchives(api.ports()), before);
    await api.caughtUp();
    return carried;
  };
  const deletionOf = async (id: number) =>
    (await api.service.log.read<ArtifactEvent>(artifactStream(id))).events.find(
      ({ type }) => type === 'ArtifactDeleted',
    );
  const countsOf = async (username: string): Promise<readonly string[]> =>
    (await api.service.log.read<DeletionEvent>(deletionsStream(api.user(username)))).events.map(({ type }) => type);

  it('is carried forward after a restart, once, under the command that was counted', async () => {
    const id = await api.created();
    await countOnly(id, 'cut off');
    await restart();
    expect((await api.read(id)).status).to.equal(200);
    expect(await recover()).to.equal(1);
    expect((await api.read(id)).status).to.equal(404);
    const deletion = await deletionOf(id);
    expect(deletion?.metadata).to.include({ commandId: 'cut off', actor: api.user('bob') });
    expect(await api.service.readModels.get(pendingDeletionViews, 'cut off')).to.equal(null);
    expect(await recover()).to.equal(0);
    expect(allowance(await api.remove(await api.created()))).to.deep.equal(['5', '3']);
  });

  it('is left alone while it may be under way', async () => {
    const id = await api.created();
    await countOnly(id, 'young');
    expect(await recover(new Date(Date.now() - 30_000))).to.equal(0);
    expect((await api.read(id)).status).to.equal(200);
  });

  it('is carried forward although the clock was ahead when it was counted', async () => {
    const id = await api.created();
    api.secondsAhead(3600);
    await countOnly(id, 'ahead');
    api.secondsAhead(0);
    expect(await recover(new Date(Date.now() - 30_000))).to.equal(1);
    expect((await api.read(id)).status).to.equal(404);
  });

  it('is carried forward by the same user asking again, without another count', async () => {
    const id = await api.created();
    await countOnly(id, 'cut off');
    expect(allowance(await api.remove(id))).to.deep.equal(['5', '4']);
    expect((await deletionOf(id))?.metadata.commandId).to.equal('cut off');
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted']);
    await api.caughtUp();
    expect(await recover()).to.equal(0);
  });

  it('is not counted when another user had deleted it meanwhile', async () => {
    const id = await api.created();
    await countOnly(id, 'late');
    expect((await api.remove(id, 'alice')).status).to.equal(200);
    await api.caughtUp();
    expect(await recover()).to.equal(1);
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted', 'DeletionReleased']);
    expect(await countsOf('alice')).to.deep.equal(['DeletionCounted']);
    expect(allowance(await api.remove(await api.created()))).to.deep.equal(['5', '4']);
    expect(await recover()).to.equal(0);
  });

  it('is not counted when another user had deleted it, although no event tells of it after a day', async () => {
    const [id, other] = [await api.created(), await api.created()];
    await countOnly(id, 'a day late');
    expect((await api.remove(id, 'alice')).status).to.equal(200);
    api.secondsAhead(25 * 3600);
    expect((await api.remove(other)).status).to.equal(200);
    expect(await recover()).to.equal(1);
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted', 'DeletionCounted', 'DeletionReleased']);
    expect(await api.service.readModels.get(pendingDeletionViews, 'a day late')).to.equal(null);
    expect(await recover()).to.equal(0);
  });

  it('counts against the limit as an earlier release has counted it', async () => {
    const userId = api.user('bob');
    const at = api.service.clock().toISOString();
    const ids = [await api.created(), await api.created(), await api.created()];
    for (const [n, artifactId] of ids.slice(0, 2).entries()) {
      const data = { userId, artifactId, deletionId: `earlier ${n}`, at };
      const event = { type: 'DeletionCounted', data, id: randomUUID() };
      const metadata = { actor: userId, at, schema: 1, commandId: data.deletionId };
      await api.service.log.append(deletionsStream(userId), n - 1, [event], metadata);
    }
    expect(allowance(await api.remove(ids[2]!))).to.deep.equal(['5', '2']);
    await api.caughtUp();
    expect(await recover()).to.equal(2);
    expect(allowance(await api.remove(await api.created()))).to.deep.equal(['5', '1']);
    expect(await countsOf('bob')).to.deep.equal(Array(4).fill('DeletionCounted'));
  });

  it('counts against the limit after a restart too', async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, () => api.created()));
    for (const id of ids.slice(0, 4)) expect((await api.remove(id)).status).to.equal(200);
    await countOnly(ids[4]!, 'the fifth');
    await restart();
    expect((await api.remove(ids[5]!)).status).to.equal(429);
    await recover();
    expect((await api.remove(ids[6]!)).status).to.equal(429);
    expect((await api.read(ids[4]!)).status).to.equal(404);
  });
});
