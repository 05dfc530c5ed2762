import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { toyRoute as route } from '../toy-route.js';
import { jsonList, sendTexts } from '../../../src/http/send-json.js';
import { toyApp, type Toy } from '../toy-app.js';

const LONG = 'a text of which there is much '.repeat(100);
const SHORT = 'x'.repeat(1000);
const MANY = 200;
/** Of what cannot be made much shorter: the whole of it fits no buffer. */
const ITEM = JSON.stringify(randomBytes(150_000).toString('base64'));

describe('compression', () => {
  let toy: Toy;
  let made = 0;
  async function* items(failsAt?: number) {
    for (let n = 0; n < MANY; n += 1) {
      if (n === failsAt) throw new Error('it is gone');
      made += 1;
      yield [ITEM];
      await setImmediate();
    }
  }
  const get = (path: string, handle: Parameters<typeof route>[0]['handle']) =>
    route({ method: 'GET', path, access: 'public', summary: '', handle });
  before(async () => {
    toy = await toyApp({
      routes: () => [
        get('/long', ({ ctx }) => {
          ctx.body = { LONG };
        }),
        get('/short', ({ ctx }) => {
          ctx.body = { SHORT };
        }),
        get('/many', ({ ctx }) => sendTexts(ctx, jsonList(items()))),
        get('/broken', ({ ctx }) => sendTexts(ctx, jsonList(items(MANY - 20)))),
      ],
    });
  });
  after(() => toy.close());
  beforeEach(() => {
    made = 0;
  });

  const ask = async (path: string, encoding?: string, method = 'GET'): Promise<IncomingMessage> => {
    const headers = encoding === undefined ? {} : { 'Accept-Encoding': encoding };
    const asked = request(`${toy.url}/api${path}`, { method, headers, agent: false }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return answer;
  };

  it('sends an answer of more than 1 kB as Brotli or gzip, whichever the client takes', async () => {
    const brotli = await ask('/long', 'gzip, br');
    expect(brotli.headers).to.include({ 'content-encoding': 'br', 'content-type': 'application/json; charset=utf-8' });
    expect(JSON.parse(brotliDecompressSync(await buffer(brotli)).toString())).to.deep.equal({ LONG });
    const gzip = await ask('/long', 'gzip');
    expect(gzip.headers['content-encoding']).to.equal('gzip');
    const bytes = await buffer(gzip);
    expect(bytes.length).to.be.below(LONG.length / 10);
    expect(JSON.parse(gunzipSync(bytes).toString())).to.deep.equal({ LONG });
  });

  it('sends an answer as it is where it is short, or the client takes nothing else', async () => {
    const asIs = async (path: string, encoding?: string): Promise<void> => {
      const answer = await ask(path, encoding);
      expect([answer.statusCode, answer.headers['content-encoding']], encoding).to.deep.equal([200, undefined]);
      expect(Number(answer.headers['content-length'])).to.equal((await buffer(answer)).length);
    };
    await asIs('/short', 'gzip, br');
    for (const encoding of [undefined, '', 'identity', 'deflate, zstd', 'br;q=0', '*;q=0', 'identity;q=0', ';;,=']) {
      await asIs('/long', encoding);
    }
  });

  it('names in Vary what an answer depends on, compressed or not', async () => {
    const all = 'Accept, Accept-Encoding, Authorization, X-Auth-Token, X-Auth-UserId, X-Auth-AccessKey';
    for (const path of ['/long', '/short', '/nowhere']) {
      expect((await ask(path, 'gzip')).resume().headers.vary).to.equal(all);
    }
  });

  it('leaves the answer to HEAD alone', async () => {
    const { headers } = await ask('/long', 'br', 'HEAD');
    expect(headers['content-encoding']).to.equal(undefined);
    expect(Number(headers['content-length'])).to.equal(JSON.stringify({ LONG }).length);
  });

  it('sends all of a page that is made while it is sent', async () => {
    const answer = await ask('/many', 'br');
    expect(answer.headers['content-encoding']).to.equal('br');
    const page: unknown = JSON.parse(brotliDecompressSync(await buffer(answer)).toString());
    expect(page).to.deep.equal(Array.from({ length: MANY }, () => JSON.parse(ITEM) as unknown));
  });

  it('makes no more of a page than the client takes', async () => {
    const answer = await ask('/many', 'gzip');
    for (let before = -1; before !== made;) {
      before = made;
      await setTimeout(300);
    }
    expect(made).to.be.below(MANY);
    answer.resume();
    await once(answer, 'end');
    expect(made).to.equal(MANY);
  });

  it('breaks the connection where a page fails while it is sent, and the log says so', async () => {
    const answer = await ask('/broken', 'gzip');
    expect(answer.statusCode).to.equal(200);
    const failure = await buffer(answer).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    const line = toy.lines().find(({ msg }) => msg === 'response failed');
    expect(line).to.have.nested.property('err.message', 'it is gone');
    expect(line).to.have.property('requestId', answer.headers['x-request-id']);
  });

  it('makes no more of a page that its client has left', async () => {
    const answer = await ask('/many', 'br');
    await once(answer, 'readable');
    answer.destroy();
    const { 'x-request-id': requestId } = answer.headers;
    const isLeft = (line: Record<string, unknown>): boolean =>
      line['msg'] === 'client disconnected before the end of the response' && line['requestId'] === requestId;
    while (!toy.lines().some(isLeft)) await setTimeout(20);
    expect(made).to.be.below(MANY);
  });
});
