import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { changeArtifact } from '../../../src/artifacts/commands.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { artifactPorts } from '../../../src/composition/http-server.js';
import { type EventLog, type StreamName } from '../../../src/core/event-log.js';
import { Problem, temporarilyUnavailable } from '../../../src/core/problem.js';
import { abandonedClaims } from '../../../src/artifacts/attachments/abandoned-claims.js';
import { fileById, handleFile } from '../../../src/files/commands.js';
import { FILES } from '../../../src/files/file-view.js';
import { fileStream } from '../../../src/files/file-events.js';
import { openValuesStream } from '../../../src/trackers/tracker-events.js';
import { pausingLog, type PausingLog } from '../../support/pausing-log.js';
import { resumed } from '../../support/resumed.js';
import { fileApi, type FileApi } from '../../files/file-api.js';
import { type Json } from '../artifact-api.js';

describe('A change that is refused because another artifact was first to claim a file', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  /** As another process makes it. */
  const changed = (
    log: EventLog,
    artifactId: number,
    files: readonly number[],
    others: readonly Json[] = [],
  ): Promise<unknown> => {
    const { definitions } = api.service;
    const caller = { viewer: viewer(definitions, definitions.userNamed('carol') ?? null), requestId: 'refused' };
    const change = { artifactId, written: { values: [api.attachments(...files), ...others] }, comment: undefined };
    return changeArtifact(
      { ...change, precondition: () => true },
      { ...artifactPorts(api.service), log },
      caller,
    ).catch((error: unknown) => error);
  };
  const meanwhile = async <T>(
    log: PausingLog,
    stream: StreamName,
    begin: () => Promise<T>,
    others: () => Promise<unknown>,
  ): Promise<T> => {
    const paused = log.pauseAt((appended) => appended === stream);
    const answer = begin();
    const goOn = await paused;
    await others();
    goOn();
    return answer;
  };
  const uploads = (count: number) => Promise.all(Array.from({ length: count }, () => api.uploaded(randomUUID())));
  const typesIn = async (artifactId: number): Promise<readonly string[]> =>
    (await api.service.log.read(artifactStream(artifactId))).events.map(({ type }) => type);
  const claimantOf = async (file: number) => (await fileById(file, api.service))?.claim?.artifactId;
  const isRefused = (answer: unknown): void => {
    expect(answer).to.be.instanceOf(Problem).with.property('kind', 'invalid');
  };

  it('leaves the artifact at its ETag, and its other files temporary', async () => {
    const [own, contested] = await uploads(2);
    const artifact = await api.created();
    const log = pausingLog(api.service.log);
    isRefused(
      await meanwhile(
        log,
        fileStream(contested!),
        () => changed(log, artifact, [own!, contested!]),
        () => api.created([api.attachments(contested!)]),
      ),
    );
    expect(await typesIn(artifact)).to.deep.equal(['ArtifactSubmitted']);
    expect(await claimantOf(own!)).to.equal(undefined);
    const headers = { 'If-Match': '"0"' };
    expect(await api.changed(artifact, [api.attachments(own!)], { headers })).to.equal('"1"');
    expect(await api.held(artifact)).to.deep.equal([own]);
  });

  it('is answered with the refusal if its claims cannot be released, and the recovery releases them', async () => {
    const [own, contested] = await uploads(2);
    const artifact = await api.created();
    const log = pausingLog(api.service.log);
    const failing: PausingLog = {
      ...log,
      append: (stream, expected, events, metadata) =>
        events.some(({ type }) => /Released|Detached/.test(type))
          ? Promise.reject(temporarilyUnavailable('The log is away'))
          : log.append(stream, expected, events, metadata),
    };
    isRefused(
      await meanwhile(
        log,
        fileStream(contested!),
        () => changed(failing, artifact, [own!, contested!]),
        () => api.created([api.attachments(contested!)]),
      ),
    );
    expect(await claimantOf(own!)).to.equal(artifact);
    const end = await api.service.log.end();
    expect(end !== null && (await api.service.readModels.caughtUp(FILES, end, 30_000))).to.equal(true);
    await resumed(abandonedClaims(api.service), new Date(Date.now() + 60_000));
    expect(await claimantOf(own!)).to.equal(undefined);
  });

  it('adds no label', async () => {
    const [contested] = await uploads(1);
    const artifact = await api.created();
    const label = randomUUID();
    const log = pausingLog(api.service.log);
    const tags = api.set('tags', { value: { bind_value_objects: [{ label }] } });
    isRefused(
      await meanwhile(
        log,
        fileStream(contested!),
        () => changed(log, artifact, [contested!], [tags]),
        () => api.created([api.attachments(contested!)]),
      ),
    );
    const { events } = await api.service.log.read(openValuesStream(api.field('bug', 'tags')));
    expect(JSON.stringify(events)).not.to.contain(label);
  });

  it('leaves the artifact at the ETag of the change that it lost a race to before', async () => {
    const [own, contested] = await uploads(2);
    const artifact = await api.created();
    const log = pausingLog(api.service.log);
    const answer = meanwhile(
      log,
      artifactStream(artifact),
      () => changed(log, artifact, [own!, contested!]),
      async () => {
        await api.changed(artifact, [api.titled('Other')]);
        const claim = (await fileById(contested!, api.service))!.claim!;
        await handleFile(contested!, { type: 'DetachFile', claim }, api.service, null);
        const another = { ...claim, artifactId: artifact - 1, commandId: randomUUID() };
        await handleFile(contested!, { type: 'AttachFile', claim: another, maxSize: 100 }, api.service, null);
      },
    );
    isRefused(await answer);
    expect(await typesIn(artifact)).to.deep.equal(['ArtifactSubmitted', 'ArtifactValuesChanged']);
    expect(await claimantOf(own!)).to.equal(undefined);
  });

  it('takes no file from another change of the artifact whose claim it has taken over', async () => {
    const [shared, contested] = await uploads(2);
    const artifact = await api.created();
    const [one, other] = [pausingLog(api.service.log), pausingLog(api.service.log)];
    const first = await meanwhile(
      one,
      artifactStream(artifact),
      () => changed(one, artifact, [shared!]),
      async () => {
        const second = await meanwhile(
          other,
          fileStream(contested!),
          () => changed(other, artifact, [shared!, contested!]),
          () => api.created([api.attachments(contested!)]),
        );
        isRefused(second);
      },
    );
    expect(first).not.to.be.instanceOf(Error);
    expect(await claimantOf(shared!)).to.equal(artifact);
    expect(await typesIn(artifact)).to.deep.equal(['ArtifactSubmitted', 'FileClaimsReleased', 'ArtifactValuesChanged']);
  });
});
