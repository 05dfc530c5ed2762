import { expect } from 'chai';
import { namesBytes } from '../../src/files/held-bytes.js';
import { fileApi, type FileApi } from './file-api.js';

describe('A log', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  it('names bytes once some have come, not for files that were only announced or refused', async () => {
    const { log } = api.service;
    expect(await namesBytes(log)).to.equal(false);
    expect((await api.announce(10)).status).to.equal(200);
    expect((await api.announce(0)).status).to.equal(200);
    expect(await namesBytes(log)).to.equal(false);
    await api.uploaded();
    expect(await namesBytes(log)).to.equal(true);
  });
});
