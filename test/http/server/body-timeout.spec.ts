import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { limitBodies } from '../../../src/http/server/body-timeout.js';
import { jsonServer } from '../../../src/http/server/server.js';

const WHOLE_MS = 300;
const LONG_MS = 1500;
const RATE = { windowMs: 200, windowBytes: 5 };

describe('a body that comes slowly', () => {
  let server: Server;
  let socket: Socket;
  let answered = '';
  /** From then on the service takes what has come. */
  let taking: Promise<void>;
  beforeEach(async () => {
    answered = '';
    taking = Promise.resolve();
    server = jsonServer((request, response) => {
      void taking.then(() => request.resume());
      request.on('error', () => undefined);
      request.once('end', () => response.end('whole'));
    });
    limitBodies(server, { wholeMs: WHOLE_MS, longMs: LONG_MS, ...RATE, isLong: ({ url }) => url === '/long' });
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
  /** Some bytes after others, until all are sent or the connection is gone. */
  const trickle = async (bytes: number, atOnce = 1): Promise<void> => {
    for (let sent = 0; sent < bytes && !socket.closed; sent += atOnce) {
      socket.write('x'.repeat(atOnce));
      await pause(RATE.windowMs / 10);
    }
  };

  it('has to be whole in time', async () => {
    begin('/', 1000);
    await Promise.all([once(socket, 'close'), trickle(1000)]);
    expect(answered).to.match(/^HTTP\/1\.1 408 [^]*"code":408/);
  });

  it('may take its time where it may be of any length, as long as it goes on', async () => {
    begin('/long', 300);
    await trickle(300, 10);
    while (!answered.includes('whole')) await once(socket, 'data');
  });

  it('is cut off there too once nothing comes any more', async () => {
    begin('/long', 30);
    await trickle(5);
    await once(socket, 'close');
    expect(answered).to.include('408');
  });

  it('is not cut off while the service does not take what has come of it', async () => {
    taking = pause(4 * RATE.windowMs);
    begin('/long', 20);
    socket.write('x'.repeat(10));
    await taking;
    socket.write('x'.repeat(10));
    while (!answered.includes('whole')) await once(socket, 'data');
  });

  it('is cut off there too while it comes at less than the least rate', async () => {
    begin('/long', 1000);
    const drip = async (): Promise<void> => {
      while (!socket.closed) {
        socket.write('x');
        await pause(RATE.windowMs / 2);
      }
    };
    await Promise.all([once(socket, 'close'), drip()]);
    expect(answered).to.include('408');
  });

  it('has to be whole there too after a longer time', async () => {
    begin('/long', 100_000);
    await Promise.all([once(socket, 'close'), trickle(100_000, 10)]);
    expect(answered).to.include('408');
  });

  it('does not count against the next request on its connection', async () => {
    begin('/', 1);
    socket.write('x');
    while (!answered.includes('whole')) await once(socket, 'data');
    await pause(WHOLE_MS + 20);
    answered = '';
    begin('/', 1);
    socket.write('x');
    while (!answered.includes('whole')) await once(socket, 'data');
  });
});
