import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { sha256 } from '../../stores/contracts/blob-store.contract.js';
import { base64, fileApi, type FileApi } from '../../files/file-api.js';
import { type Answer } from '../../support/client.js';
import { plantedFiles } from '../../support/planted-files.js';
import { itKeepsTheLimits, limitsOf, type Try } from './limits.js';

const A_TEBIBYTE = 1_099_511_627_776;
const PLATFORM = readFileSync(new URL('../../support/platform.yaml', import.meta.url), 'utf8').replace(
  '          - { name: readers,',
  `          - { name: images, label: Images, type: file, max_size: ${A_TEBIBYTE} }
          - { name: readers,`,
);

describe('the limits of files', () => {
  let api: FileApi;
  let names = 0;

  before(async () => {
    api = await fileApi({ platform: PLATFORM });
  });

  after(() => api.stop());

  const sized = (size: number): string => base64(Buffer.alloc(size, 'a'));
  const upload = (body: object, as = 'alice'): Promise<Answer> =>
    api.post('/artifact_temporary_files', {
      as,
      body: { name: 'a', mimetype: 'text/plain', content: 'YQ==', ...body },
    });
  const announce = (body: object, as = 'alice'): Promise<Answer> =>
    api.post(`/tracker_fields/${api.field('bug', 'images')}/files`, {
      as,
      body: { name: `n${(names += 1)}`, file_size: 1, file_type: 'text/plain', ...body },
    });
  const patch = async (id: number, offset: number, content: string): Promise<Answer> => {
    const answer = await api.patch(id, offset, content, 'alice');
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const planted = async (as: string, count: number, what: Parameters<typeof plantedFiles>[3] = {}): Promise<number> => {
    const [first = 0] = await plantedFiles(api, api.user(as), count, what);
    return first;
  };

  const words = (member: string, announced: string): readonly Try[] => [
    {
      route: 'POST temporary',
      prepare: (size) => () => upload({ [member]: 'é'.repeat(size / 2) + 'x'.repeat(size % 2) }),
    },
    { route: 'POST announced', prepare: (size) => () => announce({ [announced]: 'x'.repeat(size) }) },
  ];
  const chunk: readonly Try[] = [
    { route: 'POST', prepare: (size) => () => upload({ content: sized(size) }) },
    {
      route: 'PUT',
      prepare: async (size) => {
        const { body } = await upload({});
        return () => api.goOn(body.id, 2, Buffer.alloc(size), 'alice');
      },
    },
  ];
  const pieces: readonly Try[] = [
    {
      route: 'PUT',
      prepare: async (size) => {
        const id = await planted('alice', 1, { number: size - 1 });
        return () => api.goOn(id, size, 'x', 'alice');
      },
    },
    {
      route: 'PATCH',
      prepare: async (size) => {
        const id = await planted('alice', 1, { expected: size, size: 1, number: size - 1 });
        return () => patch(id, 1, 'x');
      },
    },
  ];
  /** The first time there is room for one more byte. */
  const quota: Try = {
    route: 'POST',
    prepare: async (size) => {
      const used = Number((await upload({ content: '' }, 'bob')).headers.get('X-DISK-USAGE'));
      if (used === 0) await planted('bob', 1, { size: size - 1 });
      return () => upload({ content: sized(1) }, 'bob');
    },
  };
  const temporary: Try = {
    route: 'POST',
    prepare: async (size) => {
      const { headers } = await api.get('/artifact_temporary_files', { as: 'carol' });
      await planted('carol', size - 1 - Number(headers.get('X-PAGINATION-SIZE')));
      return () => upload({}, 'carol');
    },
  };
  /** The first time there is room for one more. */
  const uploads = (as: string, fill: (room: number) => Promise<unknown>): Try => {
    let isFull = false;
    return {
      route: 'POST announced',
      prepare: async (size) => {
        if (!isFull) await fill(size - 1);
        isFull = true;
        return () => announce({}, as);
      },
    };
  };

  itKeepsTheLimits(
    'Files',
    () => api,
    () => ({
      'File name': words('name', 'name'),
      'Media type': words('mimetype', 'file_type'),
      'File description': words('description', 'description'),
      Chunk: chunk,
      Pieces: pieces,
      Quota: [quota],
      'Temporary files': [temporary],
      'Resumable uploads': [uploads('carol', (room) => planted('carol', room, { expected: 2 }))],
      'Promised bytes': [uploads('bob', (room) => announce({ file_size: room }, 'bob'))],
    }),
  );

  it('let a chunk that goes on stay within the quota, too', async () => {
    const { bound, status } = limitsOf('Files').find(({ name }) => name === 'Quota') ?? { bound: 0, status: 0 };
    await planted('dave', 1, { size: bound - 1 });
    const { body } = await upload({}, 'dave');
    expect((await api.goOn(body.id, 2, 'x', 'dave')).status).to.equal(status);
  });

  it('keep no bytes of a piece too many', async () => {
    const { bound, status } = limitsOf('Files').find(({ name }) => name === 'Pieces') ?? { bound: 0, status: 0 };
    const [chunked, resumable] = [
      await planted('alice', 1, { number: bound }),
      await planted('alice', 1, { number: bound, expected: 100 }),
    ];
    expect((await api.goOn(chunked, bound + 1, 'of a chunk', 'alice')).status).to.equal(status);
    expect((await patch(resumable, 1, 'of a part')).status).to.equal(status);
    for (const content of ['of a chunk', 'of a part']) {
      expect(await api.service.blobs.exists(sha256(content)), content).to.equal(false);
    }
  });
});
