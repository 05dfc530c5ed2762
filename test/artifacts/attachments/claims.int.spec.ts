import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { changeArtifact, submitArtifact, type Submitted } from '../../../src/artifacts/commands.js';
import { type EventLog } from '../../../src/core/event-log.js';
import { Problem } from '../../../src/core/problem.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { releaseClaims } from '../../../src/artifacts/attachments/claims.js';
import { FILES } from '../../../src/files/file-view.js';
import { fileStream } from '../../../src/files/file-events.js';
import { submitOnce } from '../../../src/artifacts/idempotency/commands.js';
import { abandonedClaims } from '../../../src/artifacts/attachments/abandoned-claims.js';
import { fileById, handleFile } from '../../../src/files/commands.js';
import { artifactPorts } from '../../../src/composition/http-server.js';
import { pausingLog } from '../../support/pausing-log.js';
import { resumed } from '../../support/resumed.js';
import { fileApi, type FileApi } from '../../files/file-api.js';

describe('A command that is paused between its claims of files and its event', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  const caller = () => {
    const { definitions } = api.service;
    return { viewer: viewer(definitions, definitions.userNamed('carol') ?? null), requestId: 'paused' };
  };
  const submitted = async (log: EventLog, files: readonly number[], commandId = randomUUID()): Promise<Submitted> => {
    const ports = { ...artifactPorts(api.service), log };
    const artifactId = await ports.nextArtifactId();
    const written = { values: [api.titled('Paused'), api.attachments(...files)] };
    const identify = () => Promise.resolve({ artifactId, commandId });
    return submitArtifact({ trackerId: api.tracker('bug'), written, identify }, ports, caller());
  };
  const changed = (log: EventLog, artifactId: number, files: readonly number[]) => {
    const ports = { ...artifactPorts(api.service), log };
    const written = { values: [api.attachments(...files)] };
    return changeArtifact({ artifactId, written, comment: undefined, precondition: () => true }, ports, caller());
  };
  /** As a worker does, whose clock is a minute ahead of the others. */
  const recover = async (log: EventLog = api.service.log): Promise<number> => {
    await caughtUp();
    const released = await resumed(abandonedClaims({ ...api.service, log }), new Date(Date.now() + 60_000));
    await caughtUp();
    return released;
  };
  const caughtUp = async (): Promise<void> => {
    const end = await api.service.log.end();
    expect(end !== null && (await api.service.readModels.caughtUp(FILES, end, 30_000))).to.equal(true);
  };
  const isOfArtifact = (stream: string): boolean => stream.startsWith('artifact-');
  const typesIn = async (artifactId: number): Promise<readonly string[]> =>
    (await api.service.log.read(artifactStream(artifactId))).events.map(({ type }) => type);
  const claimantOf = async (file: number) => (await fileById(file, api.service))?.claim?.artifactId;
  const uploads = (count: number) => Promise.all(Array.from({ length: count }, () => api.uploaded(randomUUID())));

  it('submits with all files although a recovery has released the claims meanwhile', async () => {
    const log = pausingLog(api.service.log);
    const files = await uploads(3);
    const paused = log.pauseAt(isOfArtifact);
    const answer = submitted(log, files);
    const goOn = await paused;
    expect(await recover()).to.equal(1);
    goOn();
    const { artifactId, revision } = await answer;
    expect(await typesIn(artifactId)).to.deep.equal(['FileClaimsReleased', 'ArtifactSubmitted']);
    expect(revision).to.equal(1);
    for (const file of files) expect(await claimantOf(file)).to.equal(artifactId);
    await caughtUp();
    expect(await api.held(artifactId, 'dave')).to.deep.equal(files);
    expect(await recover()).to.equal(0);
    expect((await api.content(files[0]!, 'dave')).length).to.equal(36);
  });

  it('changes an artifact with all files although a recovery has released the claims meanwhile', async () => {
    const log = pausingLog(api.service.log);
    const files = await uploads(2);
    const artifact = await api.created();
    const paused = log.pauseAt(isOfArtifact);
    const answer = changed(log, artifact, files);
    const goOn = await paused;
    expect(await recover()).to.equal(1);
    goOn();
    expect((await answer).revision).to.equal(2);
    for (const file of files) expect(await claimantOf(file)).to.equal(artifact);
    expect(await api.held(artifact)).to.deep.equal(files);
  });

  it('is refused, and leaves its other files temporary, if another artifact has taken one of them', async () => {
    const log = pausingLog(api.service.log);
    const [one, other] = [await api.uploaded('one'), await api.uploaded('other')];
    const paused = log.pauseAt(isOfArtifact);
    const answer = submitted(log, [one, other]).catch((error: unknown) => error);
    const goOn = await paused;
    await recover();
    const taker = await api.created([api.attachments(other)]);
    goOn();
    expect(await answer)
      .to.be.instanceOf(Problem)
      .with.property('kind', 'invalid');
    expect([await claimantOf(one), await claimantOf(other)]).to.deep.equal([undefined, taker]);
    expect(await api.held(taker)).to.deep.equal([other]);
    await api.created([api.attachments(one)]);
  });

  it('is refused, and leaves its files temporary, if its artifact is deleted meanwhile', async () => {
    const log = pausingLog(api.service.log);
    const [file, artifact] = [await api.uploaded(randomUUID()), await api.created()];
    const paused = log.pauseAt(isOfArtifact);
    const answer = changed(log, artifact, [file]).catch((error: unknown) => error);
    const goOn = await paused;
    await api.deleted(artifact);
    goOn();
    expect(await answer)
      .to.be.instanceOf(Problem)
      .with.property('kind', 'not-found');
    expect(await claimantOf(file)).to.equal(undefined);
    await api.created([api.attachments(file)]);
  });

  it('keeps the files of its next attempt although the recovery is paused before it releases them', async () => {
    const [mine, workers] = [pausingLog(api.service.log), pausingLog(api.service.log)];
    const files = await uploads(2);
    const artifact = await api.created();
    const paused = mine.pauseAt(isOfArtifact);
    const answer = changed(mine, artifact, files);
    const goOn = await paused;
    const releasing = workers.pauseAt((stream) => files.some((file) => stream === fileStream(file)));
    const recovery = recover(workers);
    const release = await releasing;
    goOn();
    await answer;
    release();
    expect(await recovery).to.equal(0);
    for (const file of files) expect(await claimantOf(file)).to.equal(artifact);
    expect(await api.held(artifact, 'dave')).to.deep.equal(files);
  });

  it('makes one artifact with another request of its idempotency key that comes after the recovery', async () => {
    const log = pausingLog(api.service.log);
    const key = randomUUID();
    const body = {
      tracker: { id: api.tracker('bug') },
      values: [api.titled('Once'), api.attachments(...(await uploads(2)))],
    };
    const paused = log.pauseAt(isOfArtifact);
    const submission = { trackerId: body.tracker.id, written: { values: body.values } };
    const answer = submitOnce(submission, { key, body }, { ...artifactPorts(api.service), log }, caller());
    const goOn = await paused;
    expect(await recover()).to.equal(1);
    const again = await api.submit(body.values, { headers: { 'Idempotency-Key': key } });
    expect([again.status, again.headers.get('etag')]).to.deep.equal([201, '"1"']);
    goOn();
    const { artifactId, revision } = await answer;
    expect([artifactId, revision]).to.deep.equal([again.body.id, 1]);
    expect(await typesIn(artifactId)).to.deep.equal(['FileClaimsReleased', 'ArtifactSubmitted']);
    expect(await api.held(artifactId)).to.have.length(2);
    const changesets = await api.get(`/artifacts/${artifactId}/changesets`, { as: 'dave' });
    expect((changesets.body as unknown[]).length).to.equal(1);
  });

  it('keeps its files although a twin of it is refused', async () => {
    const log = pausingLog(api.service.log);
    const [one, other] = [await api.uploaded('one'), await api.uploaded('other')];
    const commandId = randomUUID();
    const artifactId = await artifactPorts(api.service).nextArtifactId();
    const ports = (of: EventLog) => ({ ...artifactPorts(api.service), log: of });
    const submit = (of: EventLog, ...files: readonly number[]) =>
      submitArtifact(
        {
          trackerId: api.tracker('bug'),
          written: { values: [api.titled('Twin'), api.attachments(...files)] },
          identify: () => Promise.resolve({ artifactId, commandId }),
        },
        ports(of),
        caller(),
      );
    const paused = log.pauseAt(isOfArtifact);
    const answer = submit(log, one);
    const goOn = await paused;
    const twin = pausingLog(api.service.log);
    const claiming = twin.pauseAt((stream) => stream === fileStream(other));
    const refused = submit(twin, one, other).catch((error: unknown) => error);
    const claim = await claiming;
    await api.created([api.attachments(other)]);
    claim();
    expect(await refused).to.be.instanceOf(Problem);
    goOn();
    await answer;
    expect(await claimantOf(one)).to.equal(artifactId);
    expect(await api.held(artifactId)).to.deep.equal([one]);
  });
});

describe('A claim that is to be released', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  /** What a release of the file's claim by this artifact comes to, and the types of the artifact's events then. */
  const released = async (artifact: number, file: number): Promise<readonly [number, readonly string[]]> => {
    const { claim } = (await fileById(file, api.service))!;
    const count = await releaseClaims(artifact, [{ fileId: file, claim: claim! }], api.service, null);
    expect((await fileById(file, api.service))?.claim).to.deep.equal(count === 0 ? claim : null);
    const { events } = await api.service.log.read(artifactStream(artifact));
    return [count, events.map(({ type }) => type)];
  };
  const claimed = async (file: number, artifactId: number, upon?: number): Promise<void> => {
    const by = { artifactId, fieldId: api.field('bug', 'attachments'), commandId: randomUUID() };
    const claim = { ...by, ...(upon !== undefined && { upon }) };
    await handleFile(file, { type: 'AttachFile', claim, maxSize: 100 }, api.service, null);
  };

  it('stands if an event of the artifact attaches the file, and the artifact stays as it is', async () => {
    const file = await api.uploaded(randomUUID());
    const artifact = await api.created([api.attachments(file)]);
    expect(await released(artifact, file)).to.deep.equal([0, ['ArtifactSubmitted']]);
    // As an earlier release claims it, without a revision.
    await claimed(file, artifact);
    expect(await released(artifact, file)).to.deep.equal([0, ['ArtifactSubmitted']]);
  });

  it('ends behind a fence at the revision that it names, and without one behind it', async () => {
    const [one, other] = [await api.uploaded(randomUUID()), await api.uploaded(randomUUID())];
    const artifact = await api.created();
    for (const file of [one, other]) await claimed(file, artifact, 0);
    expect(await released(artifact, one)).to.deep.equal([1, ['ArtifactSubmitted', 'FileClaimsReleased']]);
    expect(await released(artifact, other)).to.deep.equal([1, ['ArtifactSubmitted', 'FileClaimsReleased']]);
  });

  it('stands if it names a revision that a reading of the stream does not show yet', async () => {
    const file = await api.uploaded(randomUUID());
    const artifact = await api.created();
    await claimed(file, artifact, 1);
    expect(await released(artifact, file)).to.deep.equal([0, ['ArtifactSubmitted']]);
  });
});
