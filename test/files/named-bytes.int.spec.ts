import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { fileStream } from '../../src/files/file-events.js';
import { namesBytes } from '../../src/files/held-bytes.js';
import { fileApi, type FileApi } from './file-api.js';

describe('A log', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  it('names bytes once some have come, until they are erased, and not for files that were only announced or refused', async () => {
    const { log } = api.service;
    expect(await namesBytes(log)).to.equal(false);
    expect((await api.announce(10)).status).to.equal(200);
    expect((await api.announce(0)).status).to.equal(200);
    expect(await namesBytes(log)).to.equal(false);
    const id = await api.uploaded();
    expect(await namesBytes(log)).to.equal(true);
    const stream = fileStream(id);
    const { revision } = await log.read(stream, { last: 1 });
    const erased = { type: 'FileErased', data: { fileId: id }, id: randomUUID() };
    const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
    await log.append(stream, revision, [erased], metadata);
    expect(await namesBytes(log)).to.equal(false);
  });
});
