import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { MAX_PROMISED_BYTES, MAX_RESUMABLE_UPLOADS, MAX_TEMPORARY_FILES } from '../../../src/core/bounds.js';
import { type Answer } from '../../support/client.js';
import { plantedFiles } from '../../support/planted-files.js';
import { fileApi, type FileApi } from '../file-api.js';

const GIBIBYTE = 1_073_741_824;
const PLATFORM = readFileSync(new URL('../../support/platform.yaml', import.meta.url), 'utf8').replace(
  '          - { name: readers,',
  `          - { name: images, label: Images, type: file, max_size: ${MAX_PROMISED_BYTES + 5} }
          - { name: readers,`,
);

describe('Resumable uploads of one user', () => {
  let api: FileApi;
  beforeEach(async () => {
    api = await fileApi({ platform: PLATFORM });
  });
  afterEach(() => api.stop());

  const announce = (size: number, name: string, as = 'carol') =>
    api.announce(size, { name, as, field: api.field('bug', 'images') });
  const accepted = async (size: number, name: string, as?: string): Promise<number> => {
    const { status, body } = await announce(size, name, as);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.id as number;
  };
  const refusal = ({ status, body }: Answer) => [status, body.error.message];
  const discard = async (id: number): Promise<void> => {
    const answer = await api.raw('DELETE', `/uploads/tracker/file/${id}`, { headers: { 'Tus-Resumable': '1.0.0' } });
    expect(answer.status).to.equal(204);
  };

  const tooMany = [409, 'Conflict: A user has at most 200 resumable uploads: attach or discard some first'];
  const tooMuch = [
    400,
    'Bad Request: /file_size would make your resumable uploads more than 68719476736 bytes: attach or discard some first',
  ];

  it('are bounded in number, whether their bytes have come or not', async () => {
    await plantedFiles(api, api.user('carol'), MAX_RESUMABLE_UPLOADS - 2, { expected: 2 });
    await accepted(0, 'empty');
    const last = await accepted(4, 'last');

    const end = await api.service.log.end();
    expect(refusal(await announce(4, 'one more'))).to.deep.equal(tooMany);
    expect(refusal(await announce(0, 'one more'))).to.deep.equal(tooMany);
    expect(await accepted(4, 'last'), 'the same again').to.equal(last);
    expect(await api.service.log.end(), 'nothing stored').to.equal(end);
    expect((await api.patch(last, 0, 'abcd')).status).to.equal(204);
    expect(refusal(await announce(4, 'one more')), 'come and not attached').to.deep.equal(tooMany);

    await api.created([api.set('images', { value: [last] })]);
    const next = await accepted(4, 'one more');
    expect(refusal(await announce(4, 'another'))).to.deep.equal(tooMany);
    await discard(next);
    await accepted(4, 'another');
  });

  it('are bounded in the bytes that they promise together', async () => {
    await plantedFiles(api, api.user('carol'), 62, { expected: GIBIBYTE });
    const [first, second] = [await accepted(GIBIBYTE, 'first'), await accepted(GIBIBYTE - 3, 'second')];
    const small = await accepted(3, 'small');

    const end = await api.service.log.end();
    const { body } = await announce(1, 'one more');
    expect(body.error.details[0].pointer).to.equal('/file_size');
    expect(refusal(await announce(1, 'one more'))).to.deep.equal(tooMuch);
    expect(await accepted(GIBIBYTE, 'first'), 'the same again').to.equal(first);
    expect(await api.service.log.end(), 'nothing stored').to.equal(end);
    await accepted(0, 'promises nothing');

    await discard(second);
    expect(refusal(await announce(GIBIBYTE - 2, 'third'))).to.deep.equal(tooMuch);
    await accepted(GIBIBYTE - 3, 'third');
    await api.patch(small, 0, 'abc');
    expect(refusal(await announce(1, 'one more')), 'come and not attached').to.deep.equal(tooMuch);
    await api.created([api.set('images', { value: [small] })]);
    await accepted(3, 'one more');
  });

  it('may be as large as the field takes, one at a time', async () => {
    const large = await accepted(MAX_PROMISED_BYTES + 5, 'large');
    expect(refusal(await announce(1, 'small'))).to.deep.equal(tooMuch);
    await accepted(0, 'promises nothing');
    await discard(large);
    await accepted(1, 'small');
    expect(refusal(await announce(MAX_PROMISED_BYTES + 5, 'large'))).to.deep.equal(tooMuch);
  });

  it('leave others and temporary files their own bounds', async () => {
    await plantedFiles(api, api.user('carol'), MAX_RESUMABLE_UPLOADS, { expected: GIBIBYTE });
    await plantedFiles(api, api.user('bob'), MAX_TEMPORARY_FILES);
    expect(refusal(await announce(1, 'carol’s'))).to.deep.equal(tooMany);
    await accepted(GIBIBYTE, 'bob’s', 'bob');
    await api.uploaded('in chunks');
    const path = `/tracker_fields/${api.field('bug', 'images')}/files`;
    expect((await api.post(path, { body: {} })).status, 'anonymous').to.equal(401);
  });

  it('stay within their bound however many are announced at once', async () => {
    await plantedFiles(api, api.user('carol'), MAX_RESUMABLE_UPLOADS - 3, { expected: 2 });
    const names = Array.from({ length: 8 }, (_, n) => `at once ${n}`);
    const answers = await Promise.all(names.map((name) => announce(1, name)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, ...Array<number>(5).fill(409)]);
  });
});
