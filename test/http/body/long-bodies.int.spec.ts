import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Access } from '../../../src/http/route.js';
import { toyRoute as route } from '../toy-route.js';
import { eventually } from '../../e2e/servers/eventually.js';
import { collectGarbage, heldBeyond } from '../../support/garbage.js';
import { basic, PASSWORD, toyApp, withToken, type Toy } from '../toy-app.js';

const KNOWN_AFTER = 65_536;
/** In bytes: than connections hold, and what is taken of a body that was refused. */
const MORE_THAN_BUFFERS = 67_108_864;
const LONGEST = 1_048_576;
/** In bytes: all long bodies that are under way. */
const HELD = 134_217_728;
/** Refused ones among those that would fill it. */
const SOME = 8;
/** Each comes by itself. */
const PARTS = 40_000;

const routes = () =>
  (['public', 'hybrid', 'protected'] satisfies Access[]).map((access) =>
    route<unknown, object, object, object>({
      method: 'POST',
      path: `/${access}`,
      access,
      summary: 'Takes anything.',
      body: { type: 'object' },
      handle({ ctx, body }) {
        ctx.body = { names: Object.keys(body) };
      },
    }),
  );

describe('A long body', () => {
  let toy: Toy;
  beforeEach(async () => {
    toy = await toyApp({ routes });
  });
  afterEach(() => toy.close());

  const bobs = (): Record<string, string> => withToken(toy.tokens.issue(toy.world.users[0]!), '115');
  const json = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  const broken = (bytes: number): string => json(bytes + 1).slice(1);

  async function post(
    access: Access,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<number> {
    const sent = { 'Content-Type': 'application/json', ...headers };
    return (await fetch(`${toy.url}/api/${access}`, { method: 'POST', headers: sent, body })).status;
  }

  /** What is answered to the head of a request and these parts of its body, without its end. */
  const answered = async (head: string, ...parts: readonly string[]): Promise<number> => {
    const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
    const answer = await toy.raw(`POST /api/protected HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n${chunks}`);
    return Number(/^HTTP\/1.1 (\d+) /.exec(answer)?.[1]);
  };

  it('is answered 500, and the log has the error, if the authentication of its sender has a defect', async () => {
    Object.assign(toy.definitions, {
      userNamed: () => {
        throw Object.assign(new Error('no such function'), { code: 'ERR_INVALID_ARG_TYPE' });
      },
    });
    expect(await post('protected', json(KNOWN_AFTER + 1), basic('bob', PASSWORD))).to.equal(500);
    const defects = toy.lines().filter(({ msg }) => msg === 'defect');
    expect(defects.map(({ err }) => (err as Error).message)).to.deep.equal(['no such function']);
  });

  it('that announces its length is refused without credentials before any of it came', async () => {
    expect(await answered(`Content-Length: ${KNOWN_AFTER + 1}`)).to.equal(401);
    expect(await answered('Content-Length: 9000000000')).to.equal(401);
  });

  it('that does not is refused without credentials as soon as it is long', async () => {
    expect(await answered('Transfer-Encoding: chunked', 'x'.repeat(40_000), 'x'.repeat(30_000))).to.equal(401);
    const zipped = new Uint8Array(gzipSync(json(900_000)));
    expect(zipped.length).to.be.below(KNOWN_AFTER);
    expect(await post('protected', zipped, { 'Content-Encoding': 'gzip' })).to.equal(401);
  });

  it('is refused for wrong credentials before it is read', async () => {
    const wrong = withToken('garbage', '115');
    expect(await post('protected', broken(KNOWN_AFTER), wrong)).to.equal(400);
    expect(await post('protected', broken(KNOWN_AFTER + 1), wrong)).to.equal(500);
    expect(await post('hybrid', broken(KNOWN_AFTER + 1), wrong)).to.equal(500);
    expect(await post('public', broken(KNOWN_AFTER + 1), wrong)).to.equal(400);
  });

  it('takes no more memory if it comes in small parts', async () => {
    const { hostname, port } = new URL(toy.url);
    const socket = connect(Number(port), hostname).setNoDelay(true);
    socket.write('POST /api/public HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const send = async (parts: number): Promise<void> => {
      for (let part = 0; part < parts; part += 1) {
        socket.write('1\r\n \r\n');
        await setImmediate();
      }
    };
    await send(PARTS / 10);
    await collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await send(PARTS);
    const held = await heldBeyond(before, 'heapUsed', PARTS * 100);
    socket.destroy();
    expect(held).to.be.below(PARTS * 100);
  });

  /** So many requests, each of which sends this much of the body that it announces. */
  const underWay = (
    body: string,
    count = HELD / LONGEST + SOME,
    { access = 'protected', encoding = 'identity' } = {},
  ) => {
    const headers = {
      ...(access === 'protected' && bobs()),
      Host: 'a',
      'Content-Length': LONGEST,
      'Content-Encoding': encoding,
    };
    const head = Object.entries(headers).map((pair) => pair.join(': '));
    const { hostname, port } = new URL(toy.url);
    const sent = Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(`POST /api/${access} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
      await new Promise((done) => socket.write(body, done));
      return socket;
    });
    return Promise.all(sent);
  };
  const statusOfLong = (): Promise<number> => post('protected', json(KNOWN_AFTER + 1), bobs());

  for (const encoding of ['identity', 'br']) {
    it(`is answered 503 while too many others of the encoding ${encoding} are under way`, async () => {
      const others = await underWay('a'.repeat(LONGEST - 1), undefined, { encoding });
      await eventually('a refusal', async () => {
        others.push(...(await underWay('a'.repeat(LONGEST - 1), 1, { encoding })));
        return (await statusOfLong()) === 503;
      });
      expect(await post('protected', json(KNOWN_AFTER), bobs())).to.equal(200);
      for (const socket of others) socket.destroy();
      await eventually('room for another one', async () => (await statusOfLong()) !== 503);
    });
  }

  it('of a member has room beside those of strangers, of which the first are cut off for others', async () => {
    const others = await underWay('a'.repeat(LONGEST - 1), undefined, { access: 'public' });
    await eventually('the end of one', () => others.some(({ closed }) => closed));
    expect(await post('public', json(KNOWN_AFTER))).to.equal(200);
    expect(await statusOfLong()).to.equal(200);
    // One address takes half of the room.
    expect(others.filter(({ closed }) => closed).length).to.be.at.most(HELD / LONGEST / 2 + 2 * SOME);
    for (const socket of others) socket.destroy();
  });

  it('has room beside others that are only announced', async () => {
    const others = await underWay('a');
    for (let time = 0; time < SOME; time += 1) expect(await statusOfLong()).to.equal(200);
    for (const socket of others) socket.destroy();
  });

  it('is told what is wrong with it where its sender is known or welcome', async () => {
    for (const [access, headers] of [
      ['protected', bobs()],
      ['protected', basic('bob', PASSWORD)],
      ['hybrid', {}],
      ['public', {}],
    ] as const) {
      expect(await post(access, json(900_000), headers), access).to.equal(200);
      expect(await post(access, broken(900_000), headers), access).to.equal(400);
      expect(await post(access, json(1_048_577), headers), access).to.equal(413);
    }
    toy.world.anonymousAccess = false;
    expect(await post('hybrid', broken(900_000))).to.equal(401);
  });

  it('does not come before what is wrong with a short one', async () => {
    expect(await post('protected', broken(KNOWN_AFTER))).to.equal(400);
    expect(await post('protected', json(KNOWN_AFTER))).to.equal(401);
    expect(await answered('Content-Length: 1', '{')).to.equal(400);
  });

  it('counts as one failed sign-in', async () => {
    const wrong = basic('bob', 'wrong');
    for (let time = 0; time < 10; time += 1) expect(await post('protected', json(100_000), wrong)).to.equal(500);
    expect(await post('protected', json(100_000), wrong)).to.equal(429);
  });

  it('that was refused does not harm the next request on its connection', async () => {
    const refused = `POST /api/protected HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`;
    const next = 'POST /api/public HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{"a":1}';
    const answers = await Promise.all([toy.raw(refused + next), toy.raw(refused)]);
    expect(answers[0]).to.match(/^HTTP\/1.1 401 [^]*HTTP\/1.1 200 [^]*\{"names":\["a"\]\}$/);
    expect(answers[1]).to.match(/^HTTP\/1.1 401 /);
  });

  const random = Buffer.from(randomBytes(190_000).toString('hex'));
  for (const [what, headers, body] of [
    ['plain', '', random],
    ['compressed', 'Content-Encoding: gzip\r\n', gzipSync(random, { level: 0 })],
  ] as const) {
    it(`does no harm either when it is ${what} and is refused while it comes, in chunks`, async () => {
      const parts = [body.subarray(0, 40_000), body.subarray(40_000, 80_000), body.subarray(80_000)];
      const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part.toString('latin1')}\r\n`);
      const refused = `POST /api/protected HTTP/1.1\r\nHost: a\r\n${headers}Transfer-Encoding: chunked\r\n\r\n`;
      const next = 'POST /api/public HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{"a":1}';
      const sent = [refused, ...chunks, '0\r\n\r\n', next].join('');
      const answers = await toy.raw(Buffer.from(sent, 'latin1'));
      expect(answers).to.match(/^HTTP\/1.1 401 [^]*HTTP\/1.1 200 [^]*\{"names":\["a"\]\}$/);
    });
  }

  it('ends its connection when it goes on and on after it was refused', async () => {
    const socket = connect(Number(new URL(toy.url).port), '127.0.0.1').on('error', () => undefined);
    let answer = '';
    socket.on('data', (bytes) => (answer += String(bytes)));
    const heard = (event: string) => new Promise((resolve) => socket.once(event, resolve));
    const closed = heard('close');
    const warnings: Error[] = [];
    const warn = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', warn);
    socket.write('POST /api/protected HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let sent = 0; sent < MORE_THAN_BUFFERS && !socket.closed; sent += chunk.length) {
      if (!socket.write(chunk)) await Promise.race([heard('drain'), closed]);
    }
    process.off('warning', warn);
    expect(socket.closed).to.equal(true);
    expect(warnings).to.deep.equal([]);
    expect(answer).to.match(/^HTTP\/1.1 401 /);
  });

  for (const [what, sent, status] of [
    ['before its body has come', 0, 400],
    ['after its body has come', Infinity, 200],
  ] as const) {
    it(`ends, too, if it is compressed and its sender leaves while the service finds out who that is, ${what}`, async () => {
      const { hostname, port } = new URL(toy.url);
      const body = gzipSync(JSON.stringify({ a: randomBytes(KNOWN_AFTER).toString('base64') }));
      const head = [
        'POST /api/protected HTTP/1.1',
        `Host: ${hostname}`,
        `Authorization: ${basic('bob', PASSWORD)['Authorization']}`,
        'Content-Encoding: gzip',
        `Content-Length: ${body.length}`,
      ];
      const socket = connect(Number(port), hostname);
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.write(body.subarray(0, sent));
      await once(socket, 'connect');
      // Passwords take longer.
      await setTimeout(5);
      socket.destroy();
      await eventually('a line of the log', () => toy.lines().length > 0);
      expect(toy.lines()[0]).to.include({ path: '/api/protected', status });
    });
  }
});
