import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { type EventLog, type NewEvent, type Revision, type StreamName } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { type Allowance } from '../../../src/artifacts/deletions/commands.js';
import { type DeletionPorts } from '../../../src/artifacts/deletions/ports.js';
import { deletionsStream } from '../../../src/artifacts/deletions/deletion-count-events.js';
import { interruptedArchives, interruptedDeletions } from '../../../src/artifacts/deletions/recovery.js';
import { pausingLog } from '../../support/pausing-log.js';
import { resumed } from '../../support/resumed.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { allowance, deletionApi, type DeletionApi } from './deletion-api.js';
import { portsOver, removeOver } from './over-log.js';

describe('A deletion that is paused', () => {
  let api: DeletionApi;
  beforeEach(async () => {
    api = await deletionApi(await temporaryDirectory());
  });
  afterEach(() => api.stopAll());

  const over = (log: EventLog): DeletionPorts => portsOver(log, api);
  const remove = (log: EventLog, artifactId: number, as = 'bob', only?: Revision, told: Allowance[] = []) =>
    removeOver(log, api, { artifactId, as, only, told });
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  /** As a worker does, whose clock is a minute ahead of the others. */
  const recover = async (log: EventLog = api.service.log): Promise<number> => {
    await api.caughtUp();
    const before = new Date(Date.now() + 60_000);
    const carried = await resumed(interruptedDeletions(over(log)), before);
    await api.caughtUp();
    await resumed(interruptedArchives(over(log)), before);
    await api.caughtUp();
    return carried;
  };
  const typesIn = async (stream: StreamName): Promise<readonly string[]> =>
    (await api.service.log.read(stream)).events.map(({ type }) => type);
  const countsOf = (username: string) => typesIn(deletionsStream(api.user(username)));
  const is = (type: string) => (_: StreamName, events: readonly NewEvent[]) =>
    events.some((event) => event.type === type);
  const DELETED = ['ArtifactSubmitted', 'ArtifactDeleted'];

  it('before its count is refused, and tells that nothing is left, if others use the allowance up meanwhile', async () => {
    const [last, log] = [await api.created(), pausingLog(api.service.log)];
    const paused = log.pauseAt(is('DeletionCounted'));
    const told: Allowance[] = [];
    const answer = failureOf(remove(log, last, 'bob', undefined, told));
    const goOn = await paused;
    for (let times = 0; times < 5; times += 1) await api.remove(await api.created());
    goOn();
    expect(await answer).to.have.property('kind', 'too-many');
    expect(told.at(-1)).to.deep.equal({ limit: 5, left: 0 });
  });

  it('before its event is done once, although a recovery has done it meanwhile', async () => {
    const [id, log] = [await api.created(), pausingLog(api.service.log)];
    const paused = log.pauseAt(is('ArtifactDeleted'));
    const answer = remove(log, id);
    const goOn = await paused;
    expect(await recover()).to.equal(1);
    goOn();
    await answer;
    expect(await typesIn(artifactStream(id))).to.deep.equal(DELETED);
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted']);
    expect(await recover()).to.equal(0);
  });

  it('before its event is not found, and its count is released once, if another user deletes the artifact', async () => {
    const [id, log] = [await api.created(), pausingLog(api.service.log)];
    const paused = log.pauseAt(is('ArtifactDeleted'));
    const answer = failureOf(remove(log, id));
    const goOn = await paused;
    expect((await api.remove(id, 'alice')).status).to.equal(200);
    expect(await recover()).to.equal(1);
    goOn();
    expect(await answer)
      .to.be.instanceOf(Problem)
      .with.property('kind', 'not-found');
    expect(await typesIn(artifactStream(id))).to.deep.equal(DELETED);
    expect([await countsOf('alice'), await countsOf('bob')]).to.deep.equal([
      ['DeletionCounted'],
      ['DeletionCounted', 'DeletionReleased'],
    ]);
    expect(allowance(await api.remove(await api.created()))).to.deep.equal(['5', '4']);
  });

  /** Paused before its event. */
  const ofFirstRevision = async () => {
    const [id, log] = [await api.created(), pausingLog(api.service.log)];
    const paused = log.pauseAt(is('ArtifactDeleted'));
    const answer = failureOf(remove(log, id, 'bob', 0));
    return { id, answer, goOn: await paused };
  };

  it('before its event is refused, and its count is released, if the artifact is not as it was to be any more', async () => {
    const { id, answer, goOn } = await ofFirstRevision();
    await api.changed(id, [api.titled('Changed')]);
    goOn();
    expect(await answer)
      .to.be.instanceOf(Problem)
      .with.property('kind', 'stale');
    expect(await typesIn(artifactStream(id))).to.deep.equal(['ArtifactSubmitted', 'ArtifactValuesChanged']);
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted', 'DeletionReleased']);
    expect(await recover()).to.equal(0);
    expect((await api.read(id, 'bob')).status).to.equal(200);
  });

  it('for one revision is carried out by no recovery once that has passed, and its count is released', async () => {
    const { id, answer, goOn } = await ofFirstRevision();
    await api.changed(id, [api.titled('Changed')]);
    expect((await api.removeIf(id, { 'If-Match': '"0"' })).status).to.equal(412);
    expect(await recover()).to.equal(1);
    goOn();
    expect(await answer).to.have.property('kind', 'stale');
    expect(await typesIn(artifactStream(id))).to.deep.equal(['ArtifactSubmitted', 'ArtifactValuesChanged']);
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted', 'DeletionReleased']);
  });

  it('for one revision is carried out by a recovery as long as the artifact is as it was', async () => {
    const { id, answer, goOn } = await ofFirstRevision();
    expect(await recover()).to.equal(1);
    goOn();
    expect(await answer).to.equal(undefined);
    expect(await typesIn(artifactStream(id))).to.deep.equal(DELETED);
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted']);
  });

  it('for one revision lends its count to no other request of the user', async () => {
    const { id, answer, goOn } = await ofFirstRevision();
    await api.changed(id, [api.titled('Changed')]);
    expect((await api.remove(id)).status).to.equal(200);
    goOn();
    expect(await answer).to.have.property('kind', 'not-found');
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted', 'DeletionCounted', 'DeletionReleased']);
    expect(allowance(await api.remove(await api.created()))).to.deep.equal(['5', '3']);
  });

  it('for one revision that has passed leaves the count that another request of the user made', async () => {
    const [id, mine, twins] = [await api.created(), pausingLog(api.service.log), pausingLog(api.service.log)];
    const paused = mine.pauseAt(is('ArtifactDeleted'));
    const answer = remove(mine, id);
    const goOn = await paused;
    const twinPaused = twins.pauseAt(is('ArtifactDeleted'));
    const refused = failureOf(remove(twins, id, 'bob', 0));
    const resume = await twinPaused;
    await api.changed(id, [api.titled('Changed')]);
    resume();
    expect(await refused).to.have.property('kind', 'stale');
    goOn();
    await answer;
    expect(await typesIn(artifactStream(id))).to.deep.equal([
      'ArtifactSubmitted',
      'ArtifactValuesChanged',
      'ArtifactDeleted',
    ]);
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted']);
  });

  it('before it releases its count releases it once, although a recovery has released it meanwhile', async () => {
    const [id, log] = [await api.created(), pausingLog(api.service.log)];
    const paused = log.pauseAt(is('ArtifactDeleted'));
    const answer = failureOf(remove(log, id));
    const goOn = await paused;
    await api.remove(id, 'alice');
    const releasing = log.pauseAt(is('DeletionReleased'));
    goOn();
    const release = await releasing;
    expect(await recover()).to.equal(1);
    release();
    await answer;
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted', 'DeletionReleased']);
  });

  it('in a recovery is done once, although the request has done it meanwhile', async () => {
    const [id, mine, workers] = [await api.created(), pausingLog(api.service.log), pausingLog(api.service.log)];
    const paused = mine.pauseAt(is('ArtifactDeleted'));
    const answer = remove(mine, id);
    const goOn = await paused;
    const recovering = workers.pauseAt(is('ArtifactDeleted'));
    const recovery = recover(workers);
    const resume = await recovering;
    goOn();
    await answer;
    resume();
    await recovery;
    expect(await typesIn(artifactStream(id))).to.deep.equal(DELETED);
    expect(await countsOf('bob')).to.deep.equal(['DeletionCounted']);
  });

  it('before it records its archive leaves one archive and one record, although a recovery has archived it', async () => {
    await api.settings({ type: 'SetArchiving', enabled: true });
    const [id, log] = [await api.created(), pausingLog(api.service.log)];
    const archive = () =>
      readdirSync(api.archiveDir).map((name) => [name, readFileSync(join(api.archiveDir, name), 'utf8')]);
    const paused = log.pauseAt(is('ArtifactArchived'));
    const answer = remove(log, id);
    const goOn = await paused;
    const written = archive();
    await recover();
    goOn();
    await answer;
    expect(await typesIn(artifactStream(id))).to.deep.equal([...DELETED, 'ArtifactArchived']);
    expect(written).to.have.length(1);
    expect(archive()).to.deep.equal(written);
  });
});
