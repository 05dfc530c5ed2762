import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { type BlobStore } from '../../src/core/blob-store.js';
import { Problem } from '../../src/core/problem.js';
import { filePorts } from '../../src/composition/http-server.js';
import { fileById } from '../../src/files/commands.js';
import { type FilePorts } from '../../src/files/ports.js';
import { tusUploads } from '../../src/files/upload/tus-upload.js';
import { continueUpload, startUpload } from '../../src/files/upload/uploads.js';
import { refusal } from '../artifacts/artifact-api.js';
import { unnamed } from '../stores/contracts/blob-store.contract.js';
import { base64, fileApi, type FileApi } from './file-api.js';

describe('Bytes that were erased before their event named them', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  /** The next blob is gone right after it was put, as if the process had been paused then for long. */
  const paused = (): FilePorts => {
    const { service } = api;
    let isLate = true;
    const blobs: BlobStore = {
      ...service.blobs,
      put: async (bytes) => {
        const blob = await service.blobs.put(bytes);
        if (isLate) await service.blobs.delete(blob.digest, new Date(Date.now() + 60_000), unnamed);
        isLate = false;
        return blob;
      },
    };
    return { ...filePorts(service), blobs };
  };
  const by = () => ({ userId: api.user('carol'), actor: api.user('carol'), requestId: 'late' });
  const words = { name: 'f.txt', mediaType: 'text/plain', description: '' };

  it('are stored again if they came as a chunk', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const { id } = await startUpload(words, base64(first), paused(), by());
    await continueUpload(id, { number: 2, content: base64(second) }, paused(), by());
    await api.created([api.attachments(id)]);
    expect(String(await api.content(id))).to.equal(first + second);
  });

  it('leave an upload that can no longer be attached', async () => {
    const id = await api.uploaded(randomUUID());
    const file = await fileById(id, api.service);
    await api.service.blobs.delete(file!.last!, new Date(Date.now() + 60_000), unnamed);
    const refused = await api.submit([api.titled('Late'), api.attachments(id)]);
    expect(refusal(refused)).to.deep.equal({ status: 400, pointers: ['/values/1'] });
    expect(JSON.stringify(refused.body)).to.include('has lost bytes');
  });

  it('end a resumable upload, which is answered as one that is not there', async () => {
    const content = Buffer.from(randomUUID());
    const { body } = await api.announce(content.length, { name: randomUUID() });
    const id = body.id as number;
    const sent = { offset: 0, source: Readable.from([content]), stillAllowed: () => Promise.resolve() };
    const receive = tusUploads(paused()).receive(id, sent, by());
    const refusal: unknown = await receive.catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(Problem).with.property('kind', 'not-found');
    expect((await fileById(id, api.service))?.status).to.equal('discarded');
  });
});
