import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import * as tus from 'tus-js-client';
import { fileApi, type FileApi } from '../files/file-api.js';
import { scriptOf } from '../support/shell-blocks.js';

/** The block as a function of what it does not say itself. It answers what the block calls `id`. */
async function uploadOfReadme(): Promise<(given: object) => Promise<number>> {
  const given = 'tus, file, api, field, headers, onSuccess, onError';
  const module = `export const upload = async ({ ${given} }) => {\n${scriptOf('upload')}\nreturn id;\n};`;
  const { upload } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
  return upload;
}

describe('the upload of the README', () => {
  let service: FileApi;
  before(async () => {
    service = await fileApi();
  });
  after(() => service.stop());

  it('works word for word, with the client that it names', async () => {
    const content = randomBytes(3_000_000);
    // The client takes a File in a browser alone, a Buffer in Node.
    const file = Object.assign(content, { name: 'disk.img', size: content.length, type: 'application/octet-stream' });
    const headers = await service.signIn('carol');
    const upload = await uploadOfReadme();

    const outcome = new EventEmitter();
    const succeeded = once(outcome, 'success');
    const id = await upload({
      tus,
      file,
      api: `${service.url}/api`,
      field: service.field('bug', 'attachments'),
      headers,
      onSuccess: () => outcome.emit('success'),
      onError: (error: unknown) => outcome.emit('error', error),
    });
    await succeeded;

    const artifact = await service.created([service.attachments(id)]);
    expect(await service.held(artifact)).to.deep.equal([id]);
    expect((await service.content(id)).equals(content)).to.equal(true);
  });
});
