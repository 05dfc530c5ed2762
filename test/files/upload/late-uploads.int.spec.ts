import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { changeArtifact } from '../../../src/artifacts/commands.js';
import { type EventLog, type NewEvent, type StreamName } from '../../../src/core/event-log.js';
import { type Problem } from '../../../src/core/problem.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { FILES } from '../../../src/files/file-view.js';
import { fileStream } from '../../../src/files/file-events.js';
import { fileById, handleFile } from '../../../src/files/commands.js';
import { abandonedUploads, discardedFiles } from '../../../src/files/garbage-collection.js';
import { continueUpload } from '../../../src/files/upload/uploads.js';
import { artifactPorts, filePorts } from '../../../src/composition/http-server.js';
import { sha256 } from '../../stores/contracts/blob-store.contract.js';
import { pausingLog } from '../../support/pausing-log.js';
import { resumed } from '../../support/resumed.js';
import { base64, fileApi, type FileApi } from '../file-api.js';

const HOUR = 60 * 60 * 1000;

describe('An upload that one process continues and another one removes', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  /** What a worker has whose clock is ahead of the others. */
  const ahead = (milliseconds: number) => ({
    ...filePorts(api.service),
    clock: () => new Date(Date.now() + milliseconds),
  });
  const caughtUp = async (): Promise<void> => {
    const end = await api.service.log.end();
    expect(await api.service.readModels.caughtUp(FILES, end!, 30_000)).to.equal(true);
  };
  const discard = async (log: EventLog = api.service.log): Promise<number> => {
    await caughtUp();
    const ports = { ...ahead(25 * HOUR), log };
    return resumed(abandonedUploads(ports), ports.clock());
  };
  const proceed = (log: EventLog, id: number, content: string) => {
    const ports = { ...filePorts(api.service), log };
    return continueUpload(id, { number: 2, content: base64(content) }, ports, {
      userId: api.user('carol'),
      actor: api.user('carol'),
      requestId: 'paused',
    });
  };
  const attach = (log: EventLog, artifactId: number, file: number) => {
    const { definitions } = api.service;
    const caller = { viewer: viewer(definitions, definitions.userNamed('carol') ?? null), requestId: 'paused' };
    const written = { values: [api.attachments(file)] };
    const ports = { ...artifactPorts(api.service), log };
    return changeArtifact({ artifactId, written, comment: undefined, precondition: () => true }, ports, caller);
  };
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const is = (type: string) => (_: StreamName, events: readonly NewEvent[]) =>
    events.some((event) => event.type === type);
  const status = async (id: number) => (await fileById(id, api.service))?.status;

  it('is kept if it goes on before the recovery that was paused discards it', async () => {
    const [id, workers] = [await api.uploaded('a'), pausingLog(api.service.log)];
    const paused = workers.pauseAt(is('FileDiscarded'));
    const discarding = discard(workers);
    const goOn = await paused;
    await proceed(api.service.log, id, 'b');
    goOn();
    expect(await discarding).to.equal(0);
    expect([await status(id), String(await contentOf(id))]).to.deep.equal(['kept', 'ab']);
  });

  it('is kept if it is attached before the recovery that was paused discards it', async () => {
    const [id, workers] = [await api.uploaded('a'), pausingLog(api.service.log)];
    const artifact = await api.created();
    const paused = workers.pauseAt(is('FileDiscarded'));
    const discarding = discard(workers);
    const goOn = await paused;
    await attach(api.service.log, artifact, id);
    goOn();
    expect(await discarding).to.equal(0);
    expect(await api.held(artifact)).to.deep.equal([id]);
    expect(String(await api.content(id))).to.equal('a');
  });

  it('takes nothing more once it is discarded, and cannot be attached, also by a request that was paused before', async () => {
    const [continued, attached] = [await api.uploaded('a'), await api.uploaded('b')];
    const artifact = await api.created();
    const [one, other] = [pausingLog(api.service.log), pausingLog(api.service.log)];
    const pauses = [one.pauseAt(is('FileChunkAdded')), other.pauseAt(is('FileAttached'))];
    const answers = [failureOf(proceed(one, continued, 'b')), failureOf(attach(other, artifact, attached))];
    const goOn = await Promise.all(pauses);
    expect(await discard()).to.equal(2);
    for (const each of goOn) each();
    const refusals = (await Promise.all(answers)) as readonly Problem[];
    expect(refusals.map(({ kind }) => kind)).to.deep.equal(['not-found', 'invalid']);
    expect([await status(continued), await status(attached)]).to.deep.equal(['discarded', 'discarded']);
    expect(await api.held(artifact)).to.deep.equal([]);
  });

  /** By carol, who attaches it for that. */
  const contentOf = async (id: number): Promise<Buffer> => {
    await api.created([api.attachments(id)]);
    return api.content(id);
  };

  it('has its bytes although a recovery is about to erase the same ones, with a clock an hour ahead', async () => {
    const workers = ahead(HOUR);
    // The specs before have discarded files a day ahead.
    await resumed(discardedFiles(workers), workers.clock());
    const content = randomUUID();
    const gone = await api.uploaded(content);
    await api.request('DELETE', `/artifact_temporary_files/${gone}`, { as: 'carol' });
    await caughtUp();
    const { blobs } = workers;
    let again = 0;
    const interrupted = {
      ...workers,
      blobs: {
        ...blobs,
        delete: (digest: string, before: Date, isNamed: () => Promise<boolean>) =>
          blobs.delete(digest, before, async () => {
            const isNamedNow = await isNamed();
            again = await api.uploaded(content);
            return isNamedNow;
          }),
      },
    };
    expect(await resumed(discardedFiles(interrupted), workers.clock())).to.equal(0);
    expect(String(await contentOf(again))).to.equal(content);
    await caughtUp();
    expect(await resumed(discardedFiles(workers), workers.clock())).to.equal(1);
    expect(String(await api.content(again))).to.equal(content);
  });

  it('that has lost its last bytes takes no more and cannot be attached, although a process died before it saw the loss', async () => {
    const [continued, attached] = [await api.uploaded('a'), await api.uploaded('b')];
    const resumable = Number((await api.announce(10)).body.id);
    for (const id of [continued, attached, resumable]) {
      const number = id === resumable ? 1 : 2;
      const chunk = { number, digest: sha256(`erased before its event ${id}`), size: 1 };
      await handleFile(id, { type: 'AddChunk', chunk }, api.service, null);
    }
    await caughtUp();
    expect((await api.submit([api.titled('Lost'), api.attachments(attached)])).status).to.equal(400);
    expect((await api.goOn(continued, 3, 'c')).status).to.equal(404);
    expect((await api.patch(resumable, 1, 'c')).status).to.equal(404);
    expect([await status(continued), await status(resumable)]).to.deep.equal(['discarded', 'discarded']);
  });

  it('has its bytes erased only where every event of a file is understood', async () => {
    const [gone, kept] = [await api.uploaded('both'), await api.uploaded('both')];
    await api.request('DELETE', `/artifact_temporary_files/${gone}`, { as: 'carol' });
    const { log } = api.service;
    const { revision } = await log.read(fileStream(kept));
    const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
    const data = { fileId: kept, owner: api.user('carol'), number: 2, digest: sha256('only newer'), size: 10 };
    const newer = [
      { type: 'FileEncrypted', data: { fileId: kept }, id: randomUUID() },
      { type: 'FileChunkAdded', data, id: randomUUID() },
    ];
    await log.append(fileStream(kept), revision, newer, metadata);
    const other = await api.uploaded('only newer');
    await api.request('DELETE', `/artifact_temporary_files/${other}`, { as: 'carol' });
    await caughtUp();
    const workers = ahead(HOUR);
    await resumed(discardedFiles(workers), workers.clock());
    expect(await api.service.blobs.exists(sha256('only newer'))).to.equal(true);
  });
});
