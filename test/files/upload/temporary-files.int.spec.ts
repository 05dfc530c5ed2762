import { expect } from 'chai';
import { type Answer } from '../../support/client.js';
import { base64, CHUNK, fileApi, type FileApi } from '../file-api.js';

const QUOTA = 67_108_864;

describe('artifact_temporary_files', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  const post = (body: object, as = 'carol') =>
    api.post('/artifact_temporary_files', {
      as,
      body: { name: 'f.txt', mimetype: 'text/plain', content: base64('hello'), ...body },
    });
  const usage = ({ headers }: Answer) => Number(headers.get('X-DISK-USAGE'));
  const refusal = ({ status, body }: Answer) => [status, body.error.details?.[0]?.pointer];

  it('starts a file with its first chunk', async () => {
    const { status, body, headers } = await post({ description: 'd' });
    expect(status).to.equal(201);
    expect(body).to.deep.equal({
      id: body.id,
      submitted_by: api.user('carol'),
      description: 'd',
      name: 'f.txt',
      size: 5,
      type: 'text/plain',
      html_url: null,
      html_preview_url: null,
      uri: `artifact_files/${body.id}`,
    });
    expect(headers.get('X-QUOTA')).to.equal(String(QUOTA));
    expect(headers.get('X-UPLOAD-MAX-FILE-CHUNKSIZE')).to.equal(String(CHUNK));
  });

  it('adds chunks by their number, from 2 on', async () => {
    const id = await api.uploaded('one ');
    const second = await api.goOn(id, 2, 'two ');
    expect(second.status).to.equal(200);
    expect(second.body).to.include({ id, size: 8 });
    expect((await api.goOn(id, '3', 'three')).body).to.include({ size: 13 });
    expect(String(await api.content(id))).to.equal('one two three');
    for (const wrong of [0, 1, 3, 5]) {
      expect(refusal(await api.goOn(id, wrong, 'x')), String(wrong)).to.deep.equal([400, '/offset']);
    }
    expect(refusal(await api.goOn(id, -1, 'x'))[0]).to.equal(400);
    expect(refusal(await api.goOn(id, 'two', 'x'))[0]).to.equal(400);
  });

  it('takes empty files, Base64 with line breaks, and a type that is not known', async () => {
    const { body } = await post({ content: '', mimetype: '' });
    expect(body).to.include({ size: 0, type: 'application/octet-stream' });
    expect((await api.content(body.id)).length).to.equal(0);
    const wrapped = await post({ content: 'aGVs\r\nbG8=\n' });
    expect(String(await api.content(wrapped.body.id))).to.equal('hello');
    expect(String(await api.content((await post({ content: 'aGVsbG8' })).body.id))).to.equal('hello');
    const spaced = await post({ content: 'a G\tV s\nb G 8='.padEnd(1_900_000) });
    expect(String(await api.content(spaced.body.id))).to.equal('hello');
    expect(refusal(await post({ content: 'aGVsbG\u00b8' }))).to.deep.equal([400, '/content']);
    expect(refusal(await post({ content: 'aGVsbG\u0138' }))).to.deep.equal([400, '/content']);
  });

  it('takes a chunk of 1 MiB and no byte more', async () => {
    const whole = await post({ content: base64(Buffer.alloc(CHUNK, 7)) });
    expect(whole.status).to.equal(201);
    expect(refusal(await post({ content: base64(Buffer.alloc(CHUNK + 1)) }))).to.deep.equal([400, '/content']);
    expect(refusal(await api.goOn(whole.body.id, 2, Buffer.alloc(CHUNK + 1)))).to.deep.equal([400, '/content']);
    expect((await post({ content: 'A'.repeat(2_200_000) })).status).to.equal(413);
    await api.request('DELETE', `/artifact_temporary_files/${whole.body.id}`, { as: 'carol' });
  });

  it('refuses what is no file', async () => {
    expect(refusal(await post({ content: '?' }))).to.deep.equal([400, '/content']);
    for (const content of ['a', 'ab=', 'a===', 'ab==cd==', 'aGVs-_8=']) {
      expect(refusal(await post({ content })), content).to.deep.equal([400, '/content']);
    }
    expect(refusal(await post({ content: 5 }))).to.deep.equal([400, '/content']);
    expect(refusal(await post({ content: undefined }))).to.deep.equal([400, '/content']);
    expect(refusal(await post({ name: '' }))).to.deep.equal([400, '/name']);
    expect(refusal(await post({ name: 'ä'.repeat(128) }))).to.deep.equal([400, '/name']);
    expect(refusal(await post({ name: 'a\u0000b' }))).to.deep.equal([400, '/name']);
    expect(refusal(await post({ mimetype: 'text/plain\r\nX-Evil: yes' }))).to.deep.equal([400, '/mimetype']);
    expect(refusal(await post({ description: 'x'.repeat(4097) }))).to.deep.equal([400, '/description']);
    expect((await post({ name: 'ä'.repeat(127), description: 'two\nlines' })).status).to.equal(201);
  });

  it('belongs to its owner alone', async () => {
    const id = await api.uploaded();
    const path = `/artifact_temporary_files/${id}`;
    expect((await api.goOn(id, 2, 'x', 'bob')).status).to.equal(401);
    expect((await api.get(path, { as: 'bob' })).status).to.equal(401);
    expect((await api.request('DELETE', path, { as: 'alice' })).status).to.equal(401);
    expect((await api.get(`/artifact_files/${id}`, { as: 'alice' })).status).to.equal(404);
    expect((await api.get(`/artifact_files/${id}`)).status).to.equal(404);
    expect((await api.raw('GET', `/plugins/tracker/attachments/${id}-f.txt`, { as: 'bob' })).status).to.equal(404);
    expect((await api.get(path, { as: 'carol' })).body).to.deep.equal({ data: base64('hello') });
    expect((await api.get(`${path}?offset=1&limit=3`, { as: 'carol' })).body).to.deep.equal({ data: base64('ell') });
    expect((await api.raw('GET', `/plugins/tracker/attachments/${id}-f.txt`)).status).to.equal(200);
  });

  it('needs a signed-in user', async () => {
    for (const [method, path] of [
      ['POST', ''],
      ['GET', ''],
      ['GET', '/101'],
      ['PUT', '/101'],
      ['DELETE', '/101'],
    ] as const) {
      const answer = await api.request(method, `/artifact_temporary_files${path}`);
      expect(answer.status, method).to.equal(401);
      expect(answer.headers.get('X-QUOTA')).to.equal(String(QUOTA));
      expect(answer.headers.get('X-UPLOAD-MAX-FILE-CHUNKSIZE')).to.equal(String(CHUNK));
    }
  });

  it('is listed in pages, each user’s own', async () => {
    const ids = [await api.uploaded('a', 'dave'), await api.uploaded('b', 'dave'), await api.uploaded('c', 'dave')];
    const list = (query = '') => api.get(`/artifact_temporary_files${query}`, { as: 'dave' });
    const all = await list();
    expect(all.body.map(({ id }: { id: number }) => id)).to.deep.equal(ids);
    expect(all.headers.get('X-PAGINATION-LIMIT')).to.equal('10');
    expect(all.headers.get('X-PAGINATION-LIMIT-MAX')).to.equal('50');
    expect(all.headers.get('X-PAGINATION-SIZE')).to.equal('3');
    const page = await list('?limit=1&offset=1');
    expect(page.body.map(({ id }: { id: number }) => id)).to.deep.equal([ids[1]]);
    expect((await list('?limit=51')).status).to.equal(400);
    await api.announce(5, { as: 'dave', name: 'resumable' });
    expect((await list()).body).to.have.length(3);
  });

  it('is gone once discarded', async () => {
    const id = await api.uploaded('a', 'bob');
    const gone = await api.request('DELETE', `/artifact_temporary_files/${id}`, { as: 'bob' });
    expect([gone.status, gone.body]).to.deep.equal([200, undefined]);
    expect(usage(gone)).to.equal(0);
    for (const method of ['GET', 'DELETE']) {
      expect((await api.request(method, `/artifact_temporary_files/${id}`, { as: 'bob' })).status).to.equal(404);
    }
    expect((await api.goOn(id, 2, 'x', 'bob')).status).to.equal(404);
    expect((await api.get(`/artifact_files/${id}`, { as: 'bob' })).status).to.equal(404);
    expect((await api.goOn(999_999, 2, 'x', 'bob')).status).to.equal(404);
  });

  it('is no temporary file any more once attached', async () => {
    const id = await api.uploaded('a', 'bob');
    await api.created([api.attachments(id)], { as: 'bob' });
    for (const method of ['GET', 'DELETE']) {
      expect((await api.request(method, `/artifact_temporary_files/${id}`, { as: 'bob' })).status).to.equal(404);
    }
    expect((await api.goOn(id, 2, 'x', 'bob')).status).to.equal(404);
    expect(usage(await api.get('/artifact_temporary_files', { as: 'bob' }))).to.equal(0);
  });

  it('sends the quota with every answer', async () => {
    const before = usage(await api.get('/artifact_temporary_files', { as: 'carol' }));
    const id = await api.uploaded('12345');
    const refused = await api.goOn(id, 9, 'x');
    expect([refused.status, usage(refused)]).to.deep.equal([400, before + 5]);
    expect(usage(await post({ name: undefined }))).to.equal(before + 5);
    const options = await api.request('OPTIONS', '/artifact_temporary_files');
    expect([options.status, options.headers.get('X-QUOTA'), usage(options)]).to.deep.equal([200, String(QUOTA), 0]);
    expect(options.headers.get('Allow')).to.equal('OPTIONS, GET, POST');
    expect(options.headers.get('Access-Control-Expose-Headers')).to.include('X-DISK-USAGE');
  });

  it('never gets one user beyond the quota, however many chunks come at once', async () => {
    const mine = await fileApi();
    const megabyte = Buffer.alloc(CHUNK, 1);
    const id = await mine.uploaded(megabyte);
    for (let number = 2; number <= 60; number += 1)
      expect((await mine.goOn(id, number, megabyte)).status).to.equal(200);
    const tries = await Promise.all(Array.from({ length: 8 }, () => mine.start(megabyte)));
    expect(tries.filter(({ status }) => status === 201)).to.have.length(4);
    expect(tries.filter(({ status }) => status === 400)).to.have.length(4);
    expect((await mine.start('x')).status).to.equal(400);
    expect((await mine.start('')).status).to.equal(201);
    expect((await mine.start('x', { as: 'bob' })).status, 'somebody else').to.equal(201);
    await mine.request('DELETE', `/artifact_temporary_files/${id}`, { as: 'carol' });
    const after = await mine.start('x');
    expect([after.status, usage(after)]).to.deep.equal([201, 4 * CHUNK + 1]);
    await mine.stop();
  });

  it('takes each number once, however many send it at the same time', async () => {
    const id = await api.uploaded('0', 'bob');
    const tries = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => api.goOn(id, 2, letter, 'bob')));
    expect(tries.map(({ status }) => status).sort()).to.deep.equal([200, 400, 400, 400]);
    expect((await api.content(id, 'bob')).length).to.equal(2);
  });
});
