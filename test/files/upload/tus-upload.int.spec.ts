import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { checkMessage } from '../../support/raw-answers.js';
import { CHUNK, fileApi, type FileApi } from '../file-api.js';

const TUS = { 'Tus-Resumable': '1.0.0' };
/** The service keeps a body in pieces of at least this many bytes. */
const PIECE = 16_777_216;
const PATCH = { ...TUS, 'Content-Type': 'application/offset+octet-stream' };

describe('A resumable upload', () => {
  let api: FileApi;
  let named = 0;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());

  const announced = async (size: number): Promise<number> => {
    named += 1;
    const { status, body } = await api.announce(size, { name: `file ${named}` });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.id as number;
  };
  const path = (id: number) => `/uploads/tracker/file/${id}`;
  const head = (id: number, as = 'carol') => api.raw('HEAD', path(id), { as, headers: TUS });
  const offset = async (id: number) => Number((await head(id)).headers.get('Upload-Offset'));
  const settles = async (id: number, size: number): Promise<void> => {
    while ((await offset(id)) < size) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await offset(id)).to.equal(size);
  };

  it('is announced with a name, a size and a type', async () => {
    const { status, body } = await api.announce(5, { name: 'big file.bin' });
    expect([status, body]).to.deep.equal([
      200,
      {
        id: body.id,
        upload_href: `/uploads/tracker/file/${body.id}`,
        download_href: `/plugins/tracker/attachments/${body.id}-big%20file.bin`,
      },
    ]);
  });

  it('is the same when it is announced again, until it has come', async () => {
    const announcements = await Promise.all([1, 2, 3].map(() => api.announce(3, { name: 'again' })));
    const [first] = announcements.map(({ body }) => body.id as number);
    expect(announcements.map(({ body }) => body.id as number)).to.deep.equal([first, first, first]);
    expect((await api.announce(3, { name: 'again', as: 'bob' })).body.id).not.to.equal(first);
    expect((await api.announce(4, { name: 'again' })).body.id).not.to.equal(first);
    await api.patch(first!, 0, 'abc');
    expect((await api.announce(3, { name: 'again' })).body.id).not.to.equal(first);
  });

  it('is ready at once when it is empty', async () => {
    const { body } = await api.announce(0, { name: 'empty' });
    expect(body.upload_href).to.equal(null);
    expect((await api.announce(0, { name: 'empty' })).body.id).to.equal(body.id);
    const artifact = await api.created([api.attachments(body.id)]);
    expect(await api.held(artifact)).to.deep.equal([body.id]);
    expect((await api.content(body.id, 'dave')).length).to.equal(0);
    expect((await api.announce(0, { name: 'empty' })).body.id).not.to.equal(body.id);
  });

  it('is refused where it cannot be attached', async () => {
    const field = api.field('bug', 'attachments');
    const status = async (size: number, options: object = {}) => (await api.announce(size, options)).status;
    expect(await status(67_108_864)).to.equal(200);
    expect(await status(67_108_865)).to.equal(400);
    expect(await status(-1)).to.equal(400);
    expect(await status(1.5)).to.equal(400);
    expect(await status(1, { name: '' })).to.equal(400);
    expect(await status(1, { field: api.field('bug', 'title') })).to.equal(400);
    expect(await status(1, { field: 999_999 })).to.equal(404);
    expect(await status(1, { field: api.field('case', 'title'), as: 'bob' })).to.equal(403);
    expect(await status(1, { as: 'dave' }), 'may submit').to.equal(200);
    const anonymous = await api.post(`/tracker_fields/${field}/files`, { body: {} });
    expect(anonymous.status).to.equal(401);
    const missing = await api.post(`/tracker_fields/${field}/files`, { as: 'carol', body: {} });
    expect(missing.body.error.details).to.have.length(3);
  });

  it('comes in parts, each at the offset where it stands', async () => {
    const id = await announced(10);
    const before = await head(id);
    expect(before.status).to.equal(200);
    expect(before.headers.get('Upload-Length')).to.equal('10');
    expect(before.headers.get('Upload-Offset')).to.equal('0');
    expect(before.headers.get('Tus-Resumable')).to.equal('1.0.0');
    expect(before.headers.get('Cache-Control')).to.equal('no-store');
    const part = await api.patch(id, 0, '0123');
    expect([part.status, part.headers.get('Upload-Offset'), await part.text()]).to.deep.equal([204, '4', '']);
    expect((await api.patch(id, 0, '0123')).status).to.equal(409);
    expect((await api.patch(id, 5, '56789')).status).to.equal(409);
    expect((await api.patch(id, 4, '456789')).headers.get('Upload-Offset')).to.equal('10');
    expect((await api.patch(id, 10, '')).status, 'nothing more').to.equal(204);
    expect((await api.patch(id, 10, 'x')).status).to.equal(413);
    await api.created([api.attachments(id)]);
    expect(String(await api.content(id, 'dave'))).to.equal('0123456789');
    expect((await head(id)).status, 'attached').to.equal(404);
  });

  it('takes no more than was announced, told beforehand or not', async () => {
    const id = await announced(4);
    expect((await api.patch(id, 0, '01234')).status).to.equal(413);
    const stream = new ReadableStream({
      start: (controller) => {
        controller.enqueue(Buffer.from('01234'));
        controller.close();
      },
    });
    expect((await api.patch(id, 0, stream)).status).to.equal(413);
    expect(await offset(id)).to.equal(0);
    expect((await api.patch(id, 0, '0123')).status).to.equal(204);
  });

  it('can be asked on the same connection after a body that was refused midway', async () => {
    const id = await announced(4);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const signedIn = await api.signIn('carol');
    const ask = async (method: string, headers: Readonly<Record<string, string>>, body?: Buffer) => {
      const sending = httpRequest(`${api.url}${path(id)}`, { agent, method, headers: { ...signedIn, ...headers } });
      sending.end(body);
      const [answer] = (await once(sending, 'response')) as [IncomingMessage];
      const { localPort } = answer.socket;
      await checkMessage(method, `${api.url}${path(id)}`, answer);
      answer.resume();
      await once(answer, 'end');
      return [answer.statusCode, localPort];
    };
    const [status, port] = await ask(
      'PATCH',
      { ...PATCH, 'Upload-Offset': '0', 'Transfer-Encoding': 'chunked' },
      randomBytes(3 * CHUNK),
    );
    expect(status).to.equal(413);
    expect(await ask('HEAD', TUS)).to.deep.equal([200, port]);
    agent.destroy();
  });

  it('speaks one version of the protocol', async () => {
    const id = await announced(4);
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      for (const headers of [{}, { 'Tus-Resumable': '0.2.2' }]) {
        const answer = await api.raw(method, path(id), { headers });
        expect([answer.status, answer.headers.get('Tus-Version')]).to.deep.equal([412, '1.0.0']);
      }
    }
    const options = await api.raw('OPTIONS', path(id), { as: null });
    expect(options.status).to.equal(200);
    expect(options.headers.get('Tus-Version')).to.equal('1.0.0');
    expect(options.headers.get('Tus-Extension')).to.equal('termination');
    expect(options.headers.get('Allow')).to.equal('OPTIONS, HEAD, DELETE, PATCH');
    // Pages of other origins may send it with POST, too, which needs no leave.
    expect(options.headers.get('Access-Control-Allow-Headers')).to.include('X-HTTP-Method-Override');
    expect(options.headers.get('Access-Control-Expose-Headers')).to.include('Tus-Extension');
    expect((await api.raw('GET', path(id), { headers: TUS })).status).to.equal(405);
  });

  it('says what is wrong with a part', async () => {
    const id = await announced(4);
    const patch = async (headers: Readonly<Record<string, string>>) =>
      (await api.raw('PATCH', path(id), { headers, body: 'x' })).status;
    expect(await patch({ ...PATCH, 'Upload-Offset': '0', 'Content-Type': 'text/plain' })).to.equal(415);
    expect(await patch({ ...PATCH, 'Upload-Offset': '0', 'Content-Encoding': 'gzip' })).to.equal(415);
    expect(await patch(PATCH)).to.equal(400);
    expect(await patch({ ...PATCH, 'Upload-Offset': '-1' })).to.equal(400);
    expect(await patch({ ...PATCH, 'Upload-Offset': 'x' })).to.equal(400);
    expect((await head(999_999)).status).to.equal(404);
    expect((await api.raw('HEAD', '/uploads/tracker/file/x', { headers: TUS })).status).to.equal(404);
  });

  it('lets another method go for PATCH where a proxy lets none through', async () => {
    const id = await announced(4);
    const headers = { ...PATCH, 'Upload-Offset': '0', 'X-HTTP-Method-Override': 'PATCH' };
    expect((await api.raw('POST', path(id), { headers, body: '0123' })).status).to.equal(204);
    expect((await api.raw('POST', path(id), { headers: TUS })).status).to.equal(405);
  });

  it('belongs to its owner alone', async () => {
    const id = await announced(4);
    expect((await head(id, 'bob')).status).to.equal(404);
    expect((await api.patch(id, 0, '0123', 'alice')).status).to.equal(404);
    expect((await api.raw('HEAD', path(id), { as: null, headers: TUS })).status).to.equal(401);
    expect((await api.raw('DELETE', path(id), { as: 'bob', headers: TUS })).status).to.equal(404);
    expect((await api.get(`/artifact_files/${id}`, { as: 'bob' })).status).to.equal(404);
    expect((await api.get(`/artifact_temporary_files/${id}`, { as: 'carol' })).status).to.equal(404);
    const temporary = await api.uploaded();
    expect((await head(temporary)).status).to.equal(404);
  });

  it('ends when its owner says so', async () => {
    const id = await announced(4);
    expect((await api.raw('DELETE', path(id), { headers: TUS })).status).to.equal(204);
    expect((await head(id)).status).to.equal(404);
    expect((await api.patch(id, 0, '0123')).status).to.equal(404);
  });

  /** Sends some bytes of a body that is said to be longer. */
  const cutOff = async (id: number, from: number, bytes: Buffer, announcedLength: number) => {
    const headers = {
      ...(await api.signIn('carol')),
      ...PATCH,
      'Upload-Offset': String(from),
      'Content-Length': String(announcedLength),
    };
    const sending = httpRequest(`${api.url}${path(id)}`, { method: 'PATCH', headers });
    sending.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      sending.write(bytes, () => {
        resolve();
      });
    });
    return sending;
  };

  it('keeps what came of a part that was cut off', async () => {
    const bytes = randomBytes(300_000);
    const id = await announced(bytes.length);
    (await cutOff(id, 0, bytes.subarray(0, 100_000), bytes.length)).destroy();
    const settled = async (): Promise<number> => {
      const at = await offset(id);
      return at > 0 ? at : settled();
    };
    const at = await settled();
    expect(at).to.be.at.most(100_000);
    expect((await api.patch(id, at, bytes.subarray(at))).status).to.equal(204);
    expect((await api.content(id)).equals(bytes)).to.equal(true);
  });

  /** An upload whose first piece is kept while more of the same body is still to come. */
  const begun = async (bytes: Buffer) => {
    const id = await announced(bytes.length);
    const sending = await cutOff(id, 0, bytes.subarray(0, PIECE + 1), bytes.length);
    while ((await offset(id)) < PIECE) await new Promise((resolve) => setTimeout(resolve, 5));
    return { id, sending };
  };

  it('goes on while another user tries to delete it', async () => {
    const bytes = randomBytes(PIECE + 50_000);
    const { id, sending } = await begun(bytes);
    expect((await api.raw('DELETE', path(id), { as: 'bob', headers: TUS })).status).to.equal(404);
    sending.end(bytes.subarray(PIECE + 1));
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    await checkMessage('PATCH', `${api.url}${path(id)}`, answer);
    expect([answer.statusCode, await offset(id)]).to.deep.equal([204, bytes.length]);
  });

  it('goes on while an earlier part hangs', async () => {
    const bytes = randomBytes(PIECE + 150_000);
    const { id, sending: hanging } = await begun(bytes);
    let answer = await api.patch(id, 0, bytes);
    while (answer.status === 409) {
      const at = await offset(id);
      answer = await api.patch(id, at, bytes.subarray(at));
    }
    expect(answer.status).to.equal(204);
    hanging.destroy();
    await settles(id, bytes.length);
    expect((await api.content(id)).equals(bytes)).to.equal(true);
  });

  it('ends when its owner says so, although a part hangs', async () => {
    const { id, sending: hanging } = await begun(randomBytes(PIECE + 150_000));
    expect((await api.raw('DELETE', path(id), { headers: TUS })).status).to.equal(204);
    expect((await head(id)).status).to.equal(404);
    hanging.destroy();
  });

  it('takes each part once, however many send it at the same time', async () => {
    const bytes = randomBytes(100_000);
    const id = await announced(bytes.length);
    await Promise.allSettled([1, 2, 3, 4].map(() => api.patch(id, 0, bytes)));
    for (let at = await offset(id); at < bytes.length; at = await offset(id))
      await api.patch(id, at, bytes.subarray(at));
    await settles(id, bytes.length);
    expect((await api.content(id)).equals(bytes)).to.equal(true);
  });

  it('brings in 64 MiB and gives them out unchanged', async () => {
    const size = 64 * CHUNK;
    const id = await announced(size);
    const block = randomBytes(CHUNK);
    const hash = createHash('sha256');
    const source = new ReadableStream({
      pull: (controller) => {
        const at = sent * CHUNK;
        sent += 1;
        if (at === size) {
          controller.close();
          return;
        }
        block.writeUInt32BE(sent, 0);
        hash.update(block);
        controller.enqueue(Buffer.from(block));
      },
    });
    let sent = 0;
    const answer = await api.patch(id, 0, source);
    expect([answer.status, answer.headers.get('Upload-Offset')]).to.deep.equal([204, String(size)]);
    await api.created([api.attachments(id)]);
    const download = await api.raw('GET', `/plugins/tracker/attachments/${id}-x`, { as: null });
    const back = createHash('sha256');
    for await (const bytes of download.body!) back.update(bytes as Uint8Array);
    expect(back.digest('hex')).to.equal(hash.digest('hex'));
  });
});
