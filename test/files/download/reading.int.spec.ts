import { expect } from 'chai';
import fc from 'fast-check';
import { pageHeaders } from '../../artifacts/artifact-api.js';
import { base64, CHUNK, fileApi, type FileApi } from '../file-api.js';

const NAME = 'naïve plan.txt';

describe('Reading a file', () => {
  let api: FileApi;
  let id: number;
  before(async () => {
    api = await fileApi();
    id = (await api.start('0123456789', { name: NAME })).body.id as number;
    await api.created([api.attachments(id)]);
  });
  after(() => api.stop());

  const chunk = async (query: string) => {
    const answer = await api.get(`/artifact_files/${id}${query}`);
    return [answer.status, String(Buffer.from(answer.body.data as string, 'base64')), ...pageHeaders(answer)];
  };

  it('gives the range that is asked for', async () => {
    expect(await chunk('')).to.deep.equal([200, '0123456789', CHUNK, 0, 10, CHUNK]);
    expect(await chunk('?offset=3')).to.deep.equal([200, '3456789', CHUNK, 3, 10, CHUNK]);
    expect(await chunk('?offset=3&limit=4')).to.deep.equal([200, '3456', 4, 3, 10, CHUNK]);
    expect(await chunk('?offset=8&limit=4')).to.deep.equal([200, '89', 4, 8, 10, CHUNK]);
    expect(await chunk('?limit=0')).to.deep.equal([200, '', 0, 0, 10, CHUNK]);
    expect(await chunk('?offset=10')).to.deep.equal([200, '', CHUNK, 10, 10, CHUNK]);
    expect(await chunk('?offset=9007199254740991')).to.deep.equal([200, '', CHUNK, 9007199254740991, 10, CHUNK]);
  });

  it('refuses what is no range, and knows no other file', async () => {
    for (const query of ['?limit=1048577', '?limit=-1', '?offset=-1', '?offset=x', '?limit=1.5']) {
      expect((await api.get(`/artifact_files/${id}${query}`)).status, query).to.equal(400);
    }
    expect((await api.get('/artifact_files/999999')).status).to.equal(404);
    expect((await api.get('/artifact_files/x')).status).to.equal(400);
  });

  it('answers under both prefixes, and tells the size of chunks', async () => {
    const answer = await api.get(`/v1/artifact_files/${id}`);
    expect(answer.headers.get('X-UPLOAD-MAX-FILE-CHUNKSIZE')).to.equal(String(CHUNK));
    const options = await api.request('OPTIONS', `/artifact_files/${id}`);
    expect(options.headers.get('Allow')).to.equal('OPTIONS, GET');
    expect(options.headers.get('X-UPLOAD-MAX-FILE-CHUNKSIZE')).to.equal(String(CHUNK));
  });

  it('gives back any content, however it came in chunks', async () => {
    const content = fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 5000 }), async (chunks, limit) => {
        const file = await api.uploaded(chunks[0]);
        for (const [index, bytes] of chunks.entries()) {
          if (index > 0) expect((await api.goOn(file, index + 1, bytes)).status).to.equal(200);
        }
        const whole = Buffer.concat(chunks);
        expect((await api.content(file)).equals(whole)).to.equal(true);
        const parts: Buffer[] = [];
        for (let offset = 0; offset < whole.length; offset += limit) {
          const { body } = await api.get(`/artifact_files/${file}?offset=${offset}&limit=${limit}`, { as: 'carol' });
          parts.push(Buffer.from(body.data as string, 'base64'));
        }
        expect(Buffer.concat(parts).equals(whole)).to.equal(true);
        await api.request('DELETE', `/artifact_temporary_files/${file}`, { as: 'carol' });
      }),
      { numRuns: 15 },
    );
  });

  for (const size of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 3]) {
    it(`gives back ${size} bytes by the loop of the contract`, async () => {
      const whole = Buffer.from(Array.from({ length: size }, (_, index) => (index * 7 + (index >> 8)) & 0xff));
      const file = await api.uploaded(whole.subarray(0, CHUNK));
      for (let number = 2; (number - 1) * CHUNK < size; number += 1) {
        await api.goOn(file, number, whole.subarray((number - 1) * CHUNK, number * CHUNK));
      }
      expect((await api.content(file)).equals(whole)).to.equal(true);
      await api.request('DELETE', `/artifact_temporary_files/${file}`, { as: 'carol' });
    });
  }

  describe('as a download', () => {
    const path = () => `/plugins/tracker/attachments/${id}-${encodeURIComponent(NAME)}`;
    const get = (headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
      api.raw(method, path(), { as: null, headers });

    it('is a file to be saved', async () => {
      const answer = await get();
      expect([answer.status, await answer.text()]).to.deep.equal([200, '0123456789']);
      const header = (name: string) => answer.headers.get(name);
      expect(header('Content-Type')).to.equal('text/plain');
      expect(header('Content-Length')).to.equal('10');
      expect(header('Content-Disposition')).to.equal(
        `attachment; filename="na_ve plan.txt"; filename*=UTF-8''na%C3%AFve%20plan.txt`,
      );
      expect(header('X-Content-Type-Options')).to.equal('nosniff');
      expect(header('Accept-Ranges')).to.equal('bytes');
    });

    it('is sent as it is to who takes it compressed', async () => {
      const file = await api.uploaded(Buffer.alloc(5000));
      const headers = { 'Accept-Encoding': 'gzip, br' };
      const sent = [
        await api.raw('GET', `/plugins/tracker/attachments/${file}-f`, { as: 'carol', headers }),
        await api.raw('GET', `/api/artifact_files/${file}`, { as: 'carol', headers }),
      ];
      for (const answer of sent) {
        expect([answer.status, answer.headers.get('Content-Encoding')]).to.deep.equal([200, null]);
        expect(Number(answer.headers.get('Content-Length'))).to.equal((await answer.text()).length);
      }
      await api.request('DELETE', `/artifact_temporary_files/${file}`, { as: 'carol' });
    });

    it('is where the representation leads', async () => {
      expect((await api.get('/artifact_files/0')).status).to.equal(400);
      expect((await api.raw('GET', `/plugins/tracker/attachments/${id}-other name`, { as: null })).status).to.equal(
        200,
      );
      for (const wrong of [`${id}`, 'x-y', '0-f', '999999-f', `${id}x-f`, '99999999999999999999-f']) {
        const answer = await api.raw('GET', `/plugins/tracker/attachments/${wrong}`, { as: null });
        expect([answer.status, answer.headers.get('Content-Type')], wrong).to.deep.equal([
          404,
          'application/json; charset=utf-8',
        ]);
      }
    });

    it('comes in ranges', async () => {
      const part = await get({ Range: 'bytes=2-5' });
      expect([part.status, await part.text()]).to.deep.equal([206, '2345']);
      expect(part.headers.get('Content-Range')).to.equal('bytes 2-5/10');
      expect(part.headers.get('Content-Length')).to.equal('4');
      expect(await (await get({ Range: 'bytes=-3' })).text()).to.equal('789');
      const head = await api.raw('HEAD', `/plugins/tracker/attachments/${id}-f`, { headers: { Range: 'bytes=2-5' } });
      expect([head.status, head.headers.get('Content-Length')]).to.deep.equal([200, '10']);
      const none = await get({ Range: 'bytes=10-' });
      expect([none.status, none.headers.get('Content-Range')]).to.deep.equal([416, 'bytes */10']);
      const several = await get({ Range: 'bytes=0-1,4-5' });
      expect([several.status, await several.text()]).to.deep.equal([200, '0123456789']);
    });

    it('may be empty', async () => {
      const file = await api.uploaded('');
      const path = `/plugins/tracker/attachments/${file}-f`;
      const answer = await api.raw('GET', path);
      expect([answer.status, answer.headers.get('Content-Length'), await answer.text()]).to.deep.equal([200, '0', '']);
      expect((await api.raw('GET', path, { headers: { Range: 'bytes=0-' } })).status).to.equal(416);
      await api.request('DELETE', `/artifact_temporary_files/${file}`, { as: 'carol' });
    });

    it('goes on only with the file that it was begun with', async () => {
      const tag = (await get()).headers.get('Etag') ?? '';
      expect((await get({ Range: 'bytes=2-5', 'If-Range': tag })).status).to.equal(206);
      expect((await get({ Range: 'bytes=2-5', 'If-Range': '"other"' })).status).to.equal(200);
    });

    it('is not sent again to a client that has it, nor to one that wants another', async () => {
      const tag = (await get()).headers.get('Etag') ?? '';
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await get({ 'If-None-Match': known, Range: 'bytes=2-5' }, method);
          expect([answer.status, answer.headers.get('Etag'), await answer.text()]).to.deep.equal([304, tag, '']);
        }
      }
      expect((await get({ 'If-None-Match': '"other"', Range: 'bytes=2-5' })).status).to.equal(206);
      expect((await get({ 'If-Match': '"other"' })).status).to.equal(412);
      for (const stated of [tag, '*']) expect((await get({ 'If-Match': stated })).status).to.equal(200);
      expect((await get({ 'If-Match': `W/${tag}` })).status).to.equal(412);
    });

    it('tells its headers alone, and what may be done', async () => {
      const head = await get({}, 'HEAD');
      expect([head.status, head.headers.get('Content-Length'), await head.text()]).to.deep.equal([200, '10', '']);
      const post = await get({}, 'POST');
      expect([post.status, post.headers.get('Allow')]).to.deep.equal([405, 'OPTIONS, GET']);
      expect((await get({}, 'OPTIONS')).status).to.equal(200);
    });

    it('keeps what people wrote out of its headers', async () => {
      const { body } = await api.post('/artifact_temporary_files', {
        as: 'carol',
        body: { name: '"a\u2028/..', mimetype: 'text/html, x', content: base64('<script>') },
      });
      const answer = await api.raw('GET', `/plugins/tracker/attachments/${body.id}-x`);
      expect(answer.headers.get('Content-Type')).to.equal('application/octet-stream');
      expect(answer.headers.get('Content-Disposition')).to.equal(
        `attachment; filename="_a__.."; filename*=UTF-8''%22a%E2%80%A8_..`,
      );
      expect(answer.headers.get('Content-Security-Policy')).to.include('sandbox');
    });

    it('needs credentials that are right', async () => {
      expect((await get({ 'X-Auth-Token': 'forged', 'X-Auth-UserId': '103' })).status).to.equal(500);
    });
  });
});
