import { expect } from 'chai';
import { filePorts } from '../../../src/composition/http-server.js';
import { type FilePorts } from '../../../src/files/ports.js';
import { tusUploads } from '../../../src/files/upload/tus-upload.js';
import { collectGarbage } from '../../support/garbage.js';
import { plantedFiles } from '../../support/planted-files.js';
import { fileApi, type FileApi } from '../file-api.js';

/** Four pages of them. */
const OPEN_FILES = 3001;
const TWO_PAGES = 2000;

describe('An announcement among open files of other users', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
    await plantedFiles(api, api.user('bob'), OPEN_FILES);
  });
  after(() => api.stop());

  it('reads all of them and holds two pages of them at most', async () => {
    const { readModels, ...ports } = filePorts(api.service);
    const read: WeakRef<object>[] = [];
    let held = 0;
    const find: FilePorts['readModels']['find'] = async (model, query) => {
      await collectGarbage();
      held = Math.max(held, read.filter((one) => one.deref() !== undefined).length);
      // The store keeps documents that it has parsed.
      const page = structuredClone(await readModels.find(model, query));
      read.push(...page.items.map((one) => new WeakRef(one)));
      return page;
    };
    const carol = api.user('carol');
    const words = { name: 'a', mediaType: 'text/plain', description: '', owner: carol, expected: 1 };
    const uploads = tusUploads({ ...ports, readModels: { ...readModels, find } });
    await uploads.announce({ ...words, fieldId: api.field('bug', 'attachments') }, { userId: carol, requestId: 'a' });
    expect(read).to.have.lengthOf(OPEN_FILES);
    expect(held).to.be.within(1, TWO_PAGES);
  });
});
