import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { holdingBodies } from '../../../src/http/body/held-bodies.js';
import { readBody } from '../../../src/http/body/read-body.js';
import { Problem } from '../../../src/core/problem.js';
import { eventually } from '../../e2e/servers/eventually.js';
import { collectGarbage, heldBeyond } from '../../support/garbage.js';

const SHORT = 65_536;
const LONG = 2 * SHORT;
const LIMIT = 1_048_576;
/** In bytes: for two short bodies, and for two long ones, of senders of whom each leaves as much. */
const ROOM = [3 * SHORT, 3 * LONG] as const;
const MANY = 100;
/** In bytes, of each of many: what a buffer takes beside its content. */
const BESIDE = 2000;

describe('Bodies that are under way', () => {
  let server: Server;
  let sockets: Socket[];
  let held: number[];
  /** Each is another one, unless its requests say where they are from. */
  let clients = 0;
  let answering = Promise.resolve();
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const serve = async (...room: readonly number[]): Promise<void> => {
    const holding = holdingBodies(...room);
    sockets = [];
    held = [];
    server = createServer((request, response) => {
      const { from: network = `client ${(clients += 1)}`, 'x-user': user } = request.headers;
      let userId: number | null = null;
      const hold = (bytes: number, isLastResort: boolean): boolean => {
        held.push(bytes);
        return holding(response, bytes, { userId, network }, isLastResort);
      };
      const { signal: gone } = new AbortController();
      const identify = () => Promise.resolve((userId = user === 'none' ? null : (clients += 1)));
      readBody(request, { kind: 'body', limit: LIMIT, identify, hold, gone: () => gone }).then(
        () => answering.then(() => response.end('whole')),
        (error: unknown) => response.end(error instanceof Problem ? error.message : 'defect'),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  };

  /** The first of the parts is sent with the head. */
  const send = async (head: string, ...parts: readonly (string | Buffer)[]): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
    sockets.push(socket.on('error', () => undefined));
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`);
    for (const part of parts) {
      await new Promise((sent) => socket.write(part, sent));
      await setTimeout(2);
    }
    return socket;
  };
  const STRANGER = 'X-User: none';
  const begin = (bytes: number, sender = 'X-User: one'): Promise<Socket> =>
    send(`${sender}\r\nContent-Length: ${bytes}`, 'x'.repeat(bytes - 1));
  const answerTo = async (bytes: number, sender = 'X-User: one', body: string | Buffer = 'x'.repeat(bytes)) => {
    const head = `${sender}\r\nContent-Length: ${bytes}\r\nConnection: close`;
    const socket = await send(head, body);
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    await once(socket, 'close');
    return answer;
  };
  const heldAll = (bytes: number, count = 2) =>
    eventually('all of them', () => held.filter((each) => each >= bytes).length >= count);

  it('are cut off for another short one if they are short, the first ones first, and leave all room for long ones', async () => {
    await serve(...ROOM);
    const first = await begin(SHORT, STRANGER);
    await heldAll(SHORT - 1, 1);
    const second = await begin(SHORT, STRANGER);
    await heldAll(SHORT - 1);
    expect(await answerTo(LONG)).to.include('whole');
    expect([first, second].map(({ closed }) => closed)).to.deep.equal([false, false]);
    expect(await answerTo(SHORT, STRANGER)).to.include('whole');
    await eventually('the end of the first', () => first.closed);
    expect(second.closed).to.equal(false);
  });

  it('leave no room for another short one if they have come whole', async () => {
    await serve(...ROOM);
    answering = new Promise(() => undefined);
    const late = await begin(2 * BESIDE, STRANGER);
    await heldAll(2 * BESIDE - 1, 1);
    await Promise.all([1, 2].map(() => send(`${STRANGER}\r\nContent-Length: ${SHORT}`, 'x'.repeat(SHORT))));
    await heldAll(SHORT, 1);
    expect(await answerTo(SHORT, STRANGER)).to.include('Too many bodies are under way; retry later');
    // What is too little is not cut off in vain.
    expect(late.closed).to.equal(false);
    for (const socket of sockets) socket.destroy();
    answering = Promise.resolve();
    await eventually('room for another one', async () => (await answerTo(SHORT, STRANGER)).includes('whole'));
  });

  it('of members count among those of members where strangers have no room', async () => {
    await serve(...ROOM);
    answering = new Promise(() => undefined);
    await Promise.all(
      [1, 2].map(() => send(`${STRANGER}\r\nContent-Length: ${SHORT - 10_000}`, 'x'.repeat(SHORT - 10_000))),
    );
    await heldAll(SHORT - 10_000);
    answering = Promise.resolve();
    expect(await answerTo(SHORT)).to.include('whole');
  });

  it('of one sender take half of the room, whether they come or have come', async () => {
    await serve(4 * SHORT, 4 * LONG);
    const from = (network: string) => `${STRANGER}\r\nFrom: ${network}`;
    const [first, second] = [await begin(SHORT, from('a')), await begin(SHORT, from('a'))];
    await heldAll(SHORT - 1);
    expect(await answerTo(SHORT, from('b'))).to.include('whole');
    expect([first, second].map(({ closed }) => closed)).to.deep.equal([false, false]);
    answering = new Promise(() => undefined);
    await send(`${from('a')}\r\nContent-Length: ${SHORT}`, 'x'.repeat(SHORT));
    await eventually('the end of the first', () => first.closed);
    answering = Promise.resolve();
    expect(second.closed).to.equal(false);
  });

  it('leave no room for another long one if they are long, and all room for short ones', async () => {
    await serve(...ROOM);
    await Promise.all([begin(LONG), begin(LONG)]);
    await heldAll(LONG - 1);
    expect(await answerTo(LONG)).to.include('Too many long bodies are under way; retry later');
    expect(await answerTo(SHORT)).to.include('whole');
    for (const socket of sockets) socket.destroy();
    await eventually('room for another one', async () => (await answerTo(LONG)).includes('whole'));
  });

  it('give back the room of strangers once their sender is known to be a member', async () => {
    await serve(4 * SHORT, Infinity);
    // The last part comes into room that the second one has made already.
    const chunks = [40_000, 10_000, 30_000].map((size) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`);
    await Promise.all([1, 2].map(() => send('Transfer-Encoding: chunked', ...chunks)));
    await heldAll(80_000);
    await eventually('room for strangers', async () => (await answerTo(SHORT)).includes('whole'));
  });

  it('count as what they decompress to', async () => {
    await serve(...ROOM);
    const body = gzipSync(Buffer.alloc(3 * LONG));
    expect(await answerTo(body.length, 'Content-Encoding: gzip', body)).to.include('Too many long bodies');
  });

  it('take no more memory than they announce', async () => {
    await serve();
    const parts = [Buffer.alloc(40_000, ' '), Buffer.alloc(25_500, ' ')];
    await collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    await Promise.all(Array.from({ length: MANY }, () => send(`Content-Length: ${SHORT}`, ...parts)));
    await heldAll(65_500, MANY);
    const most = MANY * (SHORT + BESIDE);
    expect(await heldBeyond(before, 'arrayBuffers', most)).to.be.below(most);
  });

  it('take at most twice what has come of them', async () => {
    await serve();
    const parts = [Buffer.alloc(40_000, ' '), Buffer.alloc(40_000, ' ')];
    await Promise.all(Array.from({ length: MANY }, () => send(`Content-Length: ${LIMIT}`, ...parts)));
    await heldAll(80_000, MANY);
    expect(Math.max(...held)).to.be.at.most(160_000);
  });

  it('take no more than the limit if they announce nothing', async () => {
    await serve();
    const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
    const parts = [...Array.from({ length: 15 }, () => chunk(SHORT)), chunk(SHORT - 1), '0\r\n\r\n'];
    const socket = await send('Transfer-Encoding: chunked', ...parts);
    expect(String((await once(socket, 'data'))[0])).to.include('whole');
    expect(Math.max(...held)).to.equal(LIMIT);
  });
});
