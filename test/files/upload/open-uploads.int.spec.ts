import { expect } from 'chai';
import { filePorts } from '../../../src/composition/http-server.js';
import { type FilePorts } from '../../../src/files/ports.js';
import { tusUploads } from '../../../src/files/upload/tus-upload.js';
import { plantedFiles } from '../../support/planted-files.js';
import { fileApi, type FileApi } from '../file-api.js';

describe('An announcement among open files', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  it('reads the resumable uploads of its user alone, whether their bytes have come or not', async () => {
    const [bob, carol] = [api.user('bob'), api.user('carol')];
    await plantedFiles(api, bob, 3);
    await plantedFiles(api, bob, 3, { expected: 2 });
    await plantedFiles(api, carol, 3);
    const own = [
      ...(await plantedFiles(api, carol, 2, { expected: 2 })),
      ...(await plantedFiles(api, carol, 2, { expected: 1 })),
    ];
    const { readModels, ...ports } = filePorts(api.service);
    const read: (string | number)[] = [];
    const find: FilePorts['readModels']['find'] = async (model, query) => {
      const page = await readModels.find(model, query);
      read.push(...page.items.map(({ id }) => id));
      return page;
    };
    const words = { name: 'a', mediaType: 'text/plain', description: '', owner: carol, expected: 1 };
    const uploads = tusUploads({ ...ports, readModels: { ...readModels, find } });
    await uploads.announce(
      { ...words, fieldId: api.field('bug', 'attachments') },
      { userId: carol, actor: carol, requestId: 'a' },
    );
    expect(read).to.have.members(own);
  });
});
