import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Server } from 'node:http';
import { expect } from 'chai';
import { limitBodies } from '../../src/http/body-timeout.js';
import { jsonServer } from '../../src/http/server.js';

const WHOLE_MS = 300;
const IDLE_MS = 200;

describe('a body that comes slowly', () => {
  let server: Server;
  let socket: Socket;
  let answered = '';
  beforeEach(async () => {
    answered = '';
    server = jsonServer((request, response) => {
      request.resume();
      request.on('error', () => undefined);
      request.once('end', () => response.end('whole'));
    });
    limitBodies(server, { wholeMs: WHOLE_MS, idleMs: IDLE_MS, isLong: ({ url }) => url === '/long' });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('data', (bytes) => {
      answered += String(bytes);
    });
    socket.on('error', () => undefined);
  });
  afterEach(async () => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const begin = (path: string, length: number) => {
    socket.write(`PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
  };
  /** One byte after the other, until all are sent or the connection is gone. */
  const trickle = async (bytes: number): Promise<void> => {
    for (let sent = 0; sent < bytes && !socket.closed; sent += 1) {
      socket.write('x');
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS / 10));
    }
  };

  it('has to be whole in time', async () => {
    begin('/', 1000);
    await Promise.all([once(socket, 'close'), trickle(1000)]);
    expect(answered).to.match(/^HTTP\/1\.1 408 [^]*"code":408/);
  });

  it('may take its time where it may be of any length, as long as it goes on', async () => {
    begin('/long', 30);
    await trickle(30);
    while (!answered.includes('whole')) await once(socket, 'data');
  });

  it('is cut off there too once nothing comes any more', async () => {
    begin('/long', 30);
    await trickle(5);
    await once(socket, 'close');
    expect(answered).to.include('408');
  });

  it('does not count against the next request on its connection', async () => {
    begin('/', 1);
    socket.write('x');
    while (!answered.includes('whole')) await once(socket, 'data');
    await new Promise((resolve) => setTimeout(resolve, WHOLE_MS + 20));
    answered = '';
    begin('/', 1);
    socket.write('x');
    while (!answered.includes('whole')) await once(socket, 'data');
  });
});
