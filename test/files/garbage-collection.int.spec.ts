import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { abandonedClaims } from '../../src/artifacts/attachments/abandoned-claims.js';
import { filePorts } from '../../src/composition/http-server.js';
import { FILES, fileViews } from '../../src/files/file-view.js';
import { fileById, handleFile } from '../../src/files/commands.js';
import { type FilePorts } from '../../src/files/ports.js';
import { abandonedUploads, discardedFiles } from '../../src/files/garbage-collection.js';
import { sha256 } from '../stores/contracts/blob-store.contract.js';
import { resumed } from '../support/resumed.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';
import { fileApi, type FileApi } from './file-api.js';

const HOUR = 3600;

describe('Garbage collection of files', () => {
  let api: FileApi;
  let clock: TemporaryDirectory;
  let passed = 0;
  beforeEach(async () => {
    clock = await temporaryDirectory();
    passed = 0;
    api = await fileApi({ env: { TEST_CLOCK_OFFSET_FILE: join(clock.path, 'offset') } });
  });
  afterEach(async () => {
    await api.stop();
    await clock.remove();
  });

  const pass = async (seconds: number): Promise<void> => {
    passed += seconds;
    await writeFile(join(clock.path, 'offset'), String(passed));
  };
  const caughtUp = async (): Promise<void> => {
    const end = await api.service.log.end();
    expect(end !== null && (await api.service.readModels.caughtUp(FILES, end, 30_000))).to.equal(true);
  };
  /** The first half of attaching a file, as a crash right after it leaves it. */
  const claimed = async (id: number, artifactId: number): Promise<void> => {
    const claim = { artifactId, fieldId: api.field('bug', 'attachments'), commandId: randomUUID() };
    await handleFile(id, { type: 'AttachFile', claim, maxSize: 100 }, api.service, null);
    await caughtUp();
  };
  /** The service with a read model that shows files as they are now, also after later changes. */
  const frozen = async (): Promise<FilePorts> => {
    const { readModels } = api.service;
    const page = await readModels.find(fileViews, { where: [], direction: 'asc', limit: 10, offset: 0 });
    const stale = { ...readModels, find: () => Promise.resolve(page) };
    return { ...filePorts(api.service), readModels: stale as unknown as typeof readModels };
  };
  const recover = async (): Promise<number> => {
    const detached = await resumed(abandonedClaims(api.service), api.service.clock());
    await caughtUp();
    return detached;
  };
  const tidy = async (): Promise<void> => {
    for (const work of [abandonedUploads, discardedFiles])
      await resumed(work(filePorts(api.service)), api.service.clock());
    await caughtUp();
  };
  const isTemporary = async (id: number) =>
    (await api.get(`/artifact_temporary_files/${id}`, { as: 'carol' })).status === 200;
  const status = async (id: number) => (await fileById(id, api.service))?.status;
  /** Those of the contents of which the bytes are there. */
  const held = async (...contents: readonly string[]): Promise<readonly string[]> => {
    const there = await Promise.all(contents.map((content) => api.service.blobs.exists(sha256(content))));
    return contents.filter((_, index) => there[index]);
  };

  it('takes back a claim of which the artifact was never written', async () => {
    const id = await api.uploaded();
    await claimed(id, 999_999);
    expect(await isTemporary(id)).to.equal(false);
    expect((await api.submit([api.titled('T'), api.attachments(id)])).status, 'pending').to.equal(400);
    expect(
      await resumed(abandonedClaims(api.service), new Date(api.service.clock().getTime() - 60_000)),
      'too young',
    ).to.equal(0);
    await pass(1);
    expect(await recover()).to.equal(1);
    expect(await isTemporary(id)).to.equal(true);
    const artifact = await api.created([api.attachments(id)]);
    expect(await api.held(artifact)).to.deep.equal([id]);
    expect(await recover()).to.equal(0);
  });

  it('takes back a claim that was made while the clock was ahead', async () => {
    const id = await api.uploaded();
    await pass(HOUR);
    await claimed(id, 999_999);
    await pass(-HOUR);
    const before = new Date(api.service.clock().getTime() - 60_000);
    expect(await resumed(abandonedClaims(api.service), before)).to.equal(1);
  });

  it('takes back a claim of an artifact that is there and was not changed', async () => {
    const id = await api.uploaded('secret');
    const artifact = await api.created();
    await claimed(id, artifact);
    expect((await api.get(`/artifact_files/${id}`, { as: 'bob' })).status, 'not shown meanwhile').to.equal(404);
    await pass(1);
    expect(await recover()).to.equal(1);
    expect(await isTemporary(id)).to.equal(true);
  });

  it('takes back a claim of an artifact that was deleted, and appends nothing to the artifact', async () => {
    const id = await api.uploaded();
    const artifact = await api.created();
    await claimed(id, artifact);
    expect((await api.request('DELETE', `/artifacts/${artifact}`, { as: 'alice' })).status).to.equal(200);
    await pass(1);
    expect(await recover()).to.equal(1);
    expect(await isTemporary(id)).to.equal(true);
    const { events } = await api.service.log.read(artifactStream(artifact));
    expect(events.map(({ type }) => type)).to.deep.equal(['ArtifactSubmitted', 'ArtifactDeleted']);
  });

  it('leaves a claim alone that is younger than the one that the read model shows', async () => {
    const id = await api.uploaded();
    const artifact = await api.created();
    await claimed(id, artifact);
    const behind = await frozen();
    await pass(1);
    expect(await abandonedClaims(behind).find(api.service.clock())).to.have.length(1);
    await claimed(id, artifact);
    expect(await resumed(abandonedClaims(behind), api.service.clock())).to.equal(0);
    expect((await fileById(id, api.service))?.claim?.artifactId).to.equal(artifact);
  });

  it('leaves a claim alone that its artifact has made good', async () => {
    const id = await api.uploaded();
    const artifact = await api.created();
    await claimed(id, artifact);
    await api.changed(artifact, [api.attachments(id)]);
    await api.changed(artifact, [api.attachments()]);
    await pass(1);
    expect(await recover()).to.equal(0);
    expect((await fileById(id, api.service))?.claim?.artifactId).to.equal(artifact);
  });

  it('lets a request that is sent again after the crash finish what was begun', async () => {
    const id = await api.uploaded();
    const artifact = await api.created();
    await claimed(id, artifact);
    await api.changed(artifact, [api.attachments(id)]);
    expect(await api.held(artifact)).to.deep.equal([id]);
  });

  it('discards uploads without progress for a day', async () => {
    const [temporary, kept] = [await api.uploaded('a'), await api.uploaded('b')];
    const resumable = (await api.announce(5)).body.id as number;
    const attached = await api.uploaded('c');
    await api.created([api.attachments(attached)]);
    await pass(23 * HOUR);
    await tidy();
    expect(await isTemporary(temporary)).to.equal(true);
    await api.goOn(kept, 2, 'more');
    await pass(2 * HOUR);
    await tidy();
    expect(await status(temporary)).to.equal('discarded');
    expect(await status(resumable)).to.equal('discarded');
    expect(await status(attached)).to.equal('kept');
    expect(await status(kept)).to.equal('kept');
  });

  it('keeps an upload that has gone on since the read model saw it', async () => {
    const id = await api.uploaded('a');
    await pass(25 * HOUR);
    const behind = await frozen();
    await handleFile(id, { type: 'AddChunk', chunk: { number: 2, digest: sha256('b'), size: 1 } }, api.service, null);
    expect(await resumed(abandonedUploads(behind), api.service.clock())).to.equal(0);
    expect(await status(id)).to.equal('kept');
  });

  it('never discards or erases a file that an event of an artifact attaches, with its claim or without', async () => {
    const [temporary, discarded] = [await api.uploaded('lost'), await api.uploaded('lost too')];
    await api.created([api.attachments(temporary, discarded)]);
    for (const id of [temporary, discarded]) {
      const { claim } = (await fileById(id, api.service))!;
      await handleFile(id, { type: 'DetachFile', claim: claim! }, api.service, null);
    }
    await handleFile(discarded, { type: 'DiscardFile' }, api.service, null);
    await caughtUp();
    await pass(50 * HOUR);
    await tidy();
    await tidy();
    expect([await status(temporary), await status(discarded)]).to.deep.equal(['kept', 'discarded']);
    expect(await held('lost', 'lost too')).to.have.length(2);
  });

  it('erases the bytes of discarded files, once no request under way can name them', async () => {
    const id = await api.uploaded('only here');
    await api.goOn(id, 2, 'and here');
    await api.request('DELETE', `/artifact_temporary_files/${id}`, { as: 'carol' });
    await tidy();
    expect(await held('only here', 'and here'), 'too young').to.have.length(2);
    await pass(HOUR);
    await tidy();
    expect(await held('only here', 'and here')).to.deep.equal([]);
    expect(await status(id)).to.equal('erased');
    await tidy();
  });

  it('erases what was discarded while the clock was ahead, and keeps uploads of that time', async () => {
    const gone = await api.uploaded('gone');
    await pass(20 * HOUR);
    await api.request('DELETE', `/artifact_temporary_files/${gone}`, { as: 'carol' });
    const open = await api.uploaded('open');
    await pass(-20 * HOUR + 3600);
    await tidy();
    expect([await status(gone), await status(open)]).to.deep.equal(['erased', 'kept']);
    expect(await held('gone', 'open')).to.deep.equal(['open']);
  });

  it('never removes bytes that another file holds', async () => {
    const [gone, kept] = [await api.uploaded('shared'), await api.uploaded('shared')];
    await api.created([api.attachments(kept)]);
    await api.request('DELETE', `/artifact_temporary_files/${gone}`, { as: 'carol' });
    await pass(HOUR);
    await tidy();
    expect(await status(gone)).to.equal('erased');
    expect(String(await api.content(kept))).to.equal('shared');
  });

  it('waits while bytes have just been put again', async () => {
    const gone = await api.uploaded('again');
    await api.request('DELETE', `/artifact_temporary_files/${gone}`, { as: 'carol' });
    await pass(HOUR);
    const put = async function* () {
      yield await Promise.resolve(Buffer.from('again'));
    };
    await api.service.blobs.put(put());
    await tidy();
    expect(await held('again')).to.deep.equal(['again']);
    await pass(HOUR);
    await tidy();
    expect(await held('again')).to.deep.equal([]);
  });

  it('keeps the bytes of files that an artifact once held', async () => {
    const id = await api.uploaded('history');
    const artifact = await api.created([api.attachments(id)]);
    await api.changed(artifact, [api.attachments()]);
    await pass(50 * HOUR);
    await tidy();
    expect(String(await api.content(id, null))).to.equal('history');
  });
});
