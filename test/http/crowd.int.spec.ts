import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { jsonList, sendTexts } from '../../src/http/send-json.js';
import { toyApp, type Toy } from './toy-app.js';
import { toyRoute as route } from './toy-route.js';

const KEPT = 10;
const NEW = 10;
/** In one part of what the connection brings. Node hands all of them over before the first one goes on. */
const SENT = 200;

/** Without a pause. */
function busy(): void {
  const end = performance.now() + 6;
  while (performance.now() < end);
}

/** 64 MB. */
async function* texts(): AsyncGenerator<readonly string[], void, void> {
  for (let nth = 0; nth < 64; nth += 1) yield await Promise.resolve([JSON.stringify('x'.repeat(1_000_000))]);
}

describe('Many clients that ask again and again', () => {
  let toy: Toy;
  let begun = 0;
  const turns = new Set<number>();

  const longRoute = route({
    method: 'GET',
    path: '/long',
    access: 'public',
    summary: 'Takes long.',
    handle({ ctx }) {
      begun += 1;
      busy();
      ctx.body = {};
    },
  });

  const shortRoute = route({
    method: 'GET',
    path: '/short',
    access: 'public',
    summary: 'Takes no time.',
    handle({ ctx }) {
      begun += 1;
      turns.add(performance.nodeTiming.uvMetricsInfo.loopCount);
      ctx.body = { nth: begun };
    },
  });

  const largeRoute = route({
    method: 'GET',
    path: '/large',
    access: 'public',
    summary: 'More than a connection holds.',
    async handle({ ctx }) {
      begun += 1;
      await sendTexts(ctx, jsonList(texts()));
    },
  });

  const stuckRoute = route({
    method: 'GET',
    path: '/stuck',
    access: 'public',
    summary: 'Goes on until its client leaves.',
    async handle({ ctx }) {
      begun += 1;
      await once(ctx.res, 'close');
    },
  });

  before(async () => {
    toy = await toyApp({ routes: () => [longRoute, shortRoute, largeRoute, stuckRoute] });
  });
  after(() => toy.close());

  const ask = async (agent: Agent): Promise<void> => {
    const [answer] = (await once(get(`${toy.url}/api/long`, { agent }), 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
  };

  it('do not keep out those who connect meanwhile', async () => {
    const kept = new Agent({ keepAlive: true, maxSockets: KEPT });
    await Promise.all(Array.from({ length: KEPT }, () => ask(kept)));
    let isOver = false;
    const again = Array.from({ length: KEPT }, async () => {
      while (!isOver) await ask(kept);
    });
    begun = 0;
    await Promise.all(Array.from({ length: NEW }, () => ask(new Agent())));
    const meanwhile = begun;
    isOver = true;
    await Promise.all(again);
    kept.destroy();
    // One new connection comes in each turn of the event loop. If every client were answered in it, these would be many more.
    expect(meanwhile).to.be.lessThan(45);
  });

  const send = async (path: string, count = SENT, then = ''): Promise<Socket> => {
    const { hostname, port } = new URL(toy.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    begun = 0;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count) + then);
    return socket;
  };

  it('are answered in their order, each request in a turn of its own, however many they send at once', async () => {
    turns.clear();
    const socket = await send('/api/short');
    let received = '';
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      received += bytes.toString();
      if (received.split('HTTP/1.1 200').length > SENT) break;
    }
    expect(received.match(/"nth":\d+/g)).to.deep.equal(Array.from({ length: SENT }, (_, at) => `"nth":${at + 1}`));
    // The first one that waits may follow in the turn of the first one of all.
    expect(turns.size).to.be.at.least(SENT - 1);
  });

  it('have one request each under way, however many they send at once', async () => {
    const socket = await send('/api/large');
    await once(socket, 'readable');
    for (let turn = 0; turn < 20; turn += 1) await fetch(`${toy.url}/api/other`);
    expect(begun).to.equal(1);
    socket.destroy();
    for (let turn = 0; turn < 20; turn += 1) await fetch(`${toy.url}/api/other`);
    expect(begun).to.equal(1);
  });

  it('are cut off if far too many of their requests wait', async () => {
    const socket = await send('/api/short', 50 * SENT);
    socket.on('error', () => undefined).resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(begun).to.be.below(SENT);
  });

  const sizes: readonly (readonly [string, string])[] = [
    ['headers', `POST /api/short HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(900)}\r\n`],
    ['bodies', `POST /api/short HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n${' '.repeat(9000)}`],
    ['bodies in chunks', 'POST /api/short HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ];
  for (const [what, large] of sizes) {
    it(`are cut off if too large ${what} of their requests wait`, async () => {
      const socket = await send('/api/stuck', 1, large.repeat(12));
      socket.on('error', () => undefined).resume();
      await new Promise((resolve) => socket.once('close', resolve));
      expect(begun).to.equal(1);
    });
  }

  it('are not answered in the place of a request by what is wrong with what follows it', async () => {
    const socket = await send('/api/long', 2, 'GARBAGE\r\n\r\n');
    let received = '';
    socket.on('error', () => undefined).on('data', (bytes: Buffer) => (received += bytes.toString()));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});
