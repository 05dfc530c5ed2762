import { expect } from 'chai';
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { decompression } from '../../../src/http/body/decompression.js';
import { eventually } from '../../e2e/servers/eventually.js';
import { basic, PASSWORD, toyApp, type Toy } from '../toy-app.js';
import { toyRoute as route } from '../toy-route.js';

const ENCODINGS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
const JSON_TYPE = 'application/json';
const TYPES = { [JSON_TYPE]: '{"a":"1"}', 'application/x-www-form-urlencoded': 'a=1' };

const routes = () =>
  (['public', 'protected'] as const).map((access) =>
    route<unknown, object, object, object>({
      method: 'POST',
      path: `/${access}`,
      access,
      summary: 'Echoes its body.',
      body: { type: 'object' },
      form: true,
      handle({ ctx, body }) {
        ctx.body = body;
      },
    }),
  );

describe('A compressed body', () => {
  let toy: Toy;
  let begun: Set<number>;
  let done: Set<number>;
  let mostAtOnce: number;
  const hook = createHook({
    init(id, type) {
      if (type !== 'ZLIB') return;
      begun.add(id);
      mostAtOnce = Math.max(mostAtOnce, begun.size - done.size);
    },
    after(id) {
      if (begun.has(id)) done.add(id);
    },
  });
  beforeEach(async () => {
    toy = await toyApp({ routes });
    begun = new Set();
    done = new Set();
    mostAtOnce = 0;
  });
  afterEach(async () => {
    hook.disable();
    await toy.close();
  });

  const post = async (access: string, body: Buffer, encoding: string, headers: Record<string, string> = {}) => {
    const sent = { 'Content-Type': JSON_TYPE, 'Content-Encoding': encoding, ...headers };
    const answer = await fetch(`${toy.url}/api/${access}`, {
      method: 'POST',
      headers: sent,
      body: new Uint8Array(body),
    });
    return { status: answer.status, text: await answer.text() };
  };

  /** All of it but the last byte is sent. */
  const stalled = async (body: Buffer, encoding: string, type: string): Promise<Socket> => {
    const socket = connect(Number(new URL(toy.url).port), '127.0.0.1').setNoDelay(true);
    const head = `Content-Type: ${type}\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}`;
    socket.write(`POST /api/public HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`);
    await new Promise((sent) => socket.write(body.subarray(0, -1), sent));
    return socket;
  };

  for (const [encoding, compress] of Object.entries(ENCODINGS)) {
    for (const [type, text] of Object.entries(TYPES)) {
      it(`of ${encoding} and ${type} is decompressed once all of it has come`, async () => {
        const body = compress(text);
        hook.enable();
        const socket = await stalled(body, encoding, type);
        const answer = once(socket, 'data');
        for (let time = 0; time < 5; time += 1) await post('public', Buffer.from('{}'), 'identity');
        expect(begun.size).to.equal(0);
        socket.write(body.subarray(-1));
        expect(String(await answer)).to.match(/^HTTP\/1.1 200 [^]*\{"a":"1"\}$/);
        expect(begun.size).to.equal(1);
        socket.destroy();
      });
    }

    it(`of ${encoding} is decompressed once its sender is authenticated`, async () => {
      const body = compress('{}');
      hook.enable();
      expect((await post('protected', body, encoding)).status).to.equal(401);
      expect((await post('protected', body, encoding, basic('bob', 'wrong'))).status).to.equal(500);
      expect(begun.size).to.equal(0);
      expect((await post('protected', body, encoding, basic('bob', PASSWORD))).status).to.equal(200);
    });

    it(`of ${encoding} may have zeros behind its end`, async () => {
      const body = Buffer.concat([compress('{"a":1}'), Buffer.alloc(20)]);
      expect(await post('public', body, encoding)).to.deep.equal({ status: 200, text: '{"a":1}' });
    });

    it(`of ${encoding} is refused if it ends too early, or is of another encoding`, async () => {
      const refused = { code: 400, message: 'Bad Request: The body cannot be read' };
      for (const body of [compress('{"a":1}').subarray(0, -2), Buffer.from('{"a":1}')]) {
        const { status, text } = await post('public', body, encoding);
        expect(status).to.equal(400);
        expect((JSON.parse(text) as { error: object }).error).to.include(refused);
      }
    });

    it(`of ${encoding} holds a mebibyte once decompressed and not a byte more`, async () => {
      const ofSize = (bytes: number): Buffer => compress(`{"a":"${'x'.repeat(bytes - 8)}"}`);
      expect((await post('public', ofSize(1_048_576), encoding)).status).to.equal(200);
      const { status, text } = await post('public', ofSize(1_048_577), encoding);
      expect(status).to.equal(413);
      expect(text).to.include('a body holds at most 1048576 bytes');
    });
  }

  it('waits for its turn while four others are decompressed', async () => {
    const decompress = decompression('gzip')!;
    const body = gzipSync('{}');
    hook.enable();
    const one = () => decompress(body, 100, new AbortController().signal);
    const all = await Promise.all(Array.from({ length: 20 }, one));
    expect(all.map(String)).to.deep.equal(all.map(() => '{}'));
    expect(mostAtOnce).to.equal(4);
  });

  it('no longer waits for its turn once its sender has left', async () => {
    const decompress = decompression('gzip')!;
    const body = gzipSync('{}');
    const leaving = new AbortController();
    const others = Array.from({ length: 4 }, () => decompress(body, 100, new AbortController().signal));
    const waiting = decompress(body, 100, leaving.signal);
    leaving.abort(new Error('left'));
    expect(await waiting.catch(String)).to.equal('Error: left');
    await Promise.all(others);
  });

  it('that is cut off is refused', async () => {
    const body = gzipSync('{}');
    hook.enable();
    const socket = await stalled(body, 'gzip', JSON_TYPE);
    await post('public', Buffer.from('{}'), 'identity');
    socket.destroy();
    await eventually('its line of the log', () => toy.lines().some(({ status }) => status === 400));
    expect(begun.size).to.equal(0);
  });
});
