import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { refusal } from '../artifact-api.js';
import { fileApi, type FileApi } from '../../files/file-api.js';

describe('A file that a write names in two fields', () => {
  let api: FileApi;
  before(async () => {
    const platform = readFileSync(new URL('../../support/platform.yaml', import.meta.url), 'utf8').replace(
      '          - { name: attachments,',
      '          - { name: pictures, label: Pictures, type: file }\n          - { name: attachments,',
    );
    api = await fileApi({ platform });
  });
  after(() => api.stop());

  const twice = (file: number) => [api.set('pictures', { value: [file] }), api.attachments(file)];

  it('is refused at the second field, and the idempotency key stays free', async () => {
    const file = await api.uploaded(randomUUID());
    const headers = { 'Idempotency-Key': randomUUID() };
    const end = await api.service.log.end();
    const refused = await api.submit([api.titled('Twice'), ...twice(file)], { headers });
    expect(refusal(refused)).to.deep.equal({ status: 400, pointers: ['/values/2'] });
    expect(await api.service.log.end()).to.equal(end);
    const { status, body } = await api.submit([api.titled('Once'), api.attachments(file)], { headers });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(await api.held(body.id)).to.deep.equal([file]);
  });

  it('leaves the artifact at its ETag', async () => {
    const file = await api.uploaded(randomUUID());
    const artifact = await api.created();
    expect(refusal(await api.change(artifact, twice(file)))).to.deep.equal({ status: 400, pointers: ['/values/1'] });
    expect(await api.etag(artifact)).to.equal('"0"');
    await api.changed(artifact, [api.attachments(file)], { headers: { 'If-Match': '"0"' } });
  });
});
