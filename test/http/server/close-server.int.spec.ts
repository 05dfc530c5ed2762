import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { closingOf } from '../../../src/http/server/close-server.js';

/** More than the kernel keeps for a client that does not read. */
const LARGE = 16 * 1024 * 1024;
const PATIENCE_MS = 10_000;
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** A client that has sent a request, and read nothing of the answer. */
async function asked(answer: string | Buffer, sent = REQUEST) {
  const server = createServer((_, response) => response.end(answer));
  const close = closingOf(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(sent);
  return { server, close, socket };
}

describe('a server that closes', () => {
  it('sends the rest of an answer to a client that reads it slowly', async () => {
    const { server, close, socket } = await asked(Buffer.alloc(LARGE, 'x'));
    await once(server, 'request');
    const closed = close(PATIENCE_MS);
    expect((await buffer(socket)).length).to.be.above(LARGE);
    await closed;
  });

  it('ends at once the connections that have had their answers', async () => {
    const { close, socket } = await asked('{}');
    await once(socket, 'data');
    const began = performance.now();
    await Promise.all([close(PATIENCE_MS), once(socket, 'close')]);
    expect(performance.now() - began).to.be.below(900);
  });

  it('answers a request of which a part had come with the one before', async () => {
    const { close, socket } = await asked('{}', REQUEST + REQUEST.slice(0, 10));
    await once(socket, 'data');
    const closed = close(PATIENCE_MS);
    socket.write(REQUEST.slice(10));
    expect(String(await buffer(socket))).to.match(/^HTTP\/1.1 200 .*\r\nConnection: close\r\n/s);
    await closed;
  });
});
