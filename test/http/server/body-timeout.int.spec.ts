import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { limitBodies } from '../../../src/http/server/body-timeout.js';
import { eventually } from '../../e2e/servers/eventually.js';
import { jsonServer } from '../../../src/http/server/server.js';

const WHOLE_MS = 1000;
const WINDOW_MS = 500;
const TIMEOUTS = { wholeMs: WHOLE_MS, longMs: 60_000, windowMs: WINDOW_MS, windowBytes: 5 };

describe('a body that comes slowly', () => {
  let server: Server;
  let socket: Socket;
  let answered: string;
  /** From then on the service takes what has come. */
  let taking: Promise<void>;
  /** Whether the service answers before. */
  let refuses: boolean;

  const serve = async (timeouts = TIMEOUTS): Promise<void> => {
    answered = '';
    taking = Promise.resolve();
    refuses = false;
    server = jsonServer((request, response) => {
      if (refuses) {
        response.end('refused');
        return;
      }
      void taking.then(() => request.resume());
      request.on('error', () => undefined);
      request.once('end', () => response.end('whole'));
    });
    limitBodies(server, { ...timeouts, isLong: ({ url }) => url === '/long' });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('data', (bytes) => {
      answered += String(bytes);
    });
    socket.on('error', () => undefined);
  };
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
      await pause(WINDOW_MS / 25);
    }
  };
  /** The answer, or what there is of one when the connection is closed. */
  const anAnswer = async (): Promise<string> => {
    while (!answered.includes('whole') && !socket.closed) {
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    }
    return answered;
  };

  it('has to be whole in time', async () => {
    await serve();
    begin('/', 1000);
    await Promise.all([once(socket, 'close'), trickle(1000)]);
    expect(answered).to.match(/^HTTP\/1\.1 408 [^]*"code":408/);
  });

  it('is waited for from its turn on, if it is behind another request', async () => {
    await serve();
    taking = pause(2 * WHOLE_MS);
    const [length, large] = [10, 1_000_000];
    begin('/long', length);
    socket.write('x'.repeat(length));
    begin('/', large);
    socket.write('x'.repeat(large));
    while (answered.split('whole').length < 3 && !socket.closed) {
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    }
    expect(answered.split('whole')).to.have.length(3);
  });

  it('is not cut off once it is whole, however late the service takes it', async () => {
    await serve();
    taking = pause(1.5 * WHOLE_MS);
    begin('/', 10);
    socket.write('x'.repeat(10));
    expect(await anAnswer()).to.include('whole');
  });

  it('may take its time where it may be of any length, as long as it goes on', async () => {
    await serve();
    begin('/long', 600);
    await trickle(600, 10);
    expect(await anAnswer()).to.include('whole');
  });

  it('is cut off there too once nothing comes any more', async () => {
    await serve();
    begin('/long', 30);
    await trickle(5);
    await once(socket, 'close');
    expect(answered).to.include('408');
  });

  it('is not cut off while the service does not take what has come of it', async () => {
    await serve();
    taking = pause(4 * WINDOW_MS);
    begin('/long', 20);
    socket.write('x'.repeat(10));
    await taking;
    socket.write('x'.repeat(10));
    expect(await anAnswer()).to.include('whole');
  });

  it('is not cut off when the service takes what has come just before it looks', async () => {
    await serve({ ...TIMEOUTS, windowMs: 1000 });
    taking = pause(1500);
    begin('/long', 20);
    socket.write('x'.repeat(10));
    await pause(2200);
    socket.write('x'.repeat(10));
    expect(await anAnswer()).to.include('whole');
  });

  for (const [path, stillness] of [
    ['/', WHOLE_MS],
    ['/long', WINDOW_MS],
  ] as const) {
    it(`is not cut off where it had come before the process stood still, at ${path}`, async () => {
      await serve();
      begin(path, 20);
      await once(server, 'request');
      socket.write('x'.repeat(path === '/' ? 20 : 10));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stillness + 100);
      await pause(1);
      if (path !== '/') socket.write('x'.repeat(10));
      expect(await anAnswer()).to.include('whole');
    });
  }

  it('is cut off there too while it comes at less than the least rate', async () => {
    await serve();
    begin('/long', 1000);
    const drip = async (): Promise<void> => {
      while (!socket.closed) {
        socket.write('x');
        await pause(WINDOW_MS / 2);
      }
    };
    await Promise.all([once(socket, 'close'), drip()]);
    expect(answered).to.include('408');
  });

  it('has to be whole there too after a longer time', async () => {
    await serve({ ...TIMEOUTS, longMs: 2 * WHOLE_MS });
    begin('/long', 100_000);
    await Promise.all([once(socket, 'close'), trickle(100_000, 10)]);
    expect(answered).to.include('408');
  });

  for (const path of ['/', '/long']) {
    it(`is watched no longer once its client has left, although it was answered before, at ${path}`, async () => {
      await serve();
      refuses = true;
      await once(socket, 'connect');
      const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
      const before = timers();
      begin(path, 1000);
      await once(socket, 'data');
      expect(answered).to.include('refused');
      socket.destroy();
      await eventually('the end of the watch', () => timers() === before);
    });
  }

  it('leaves nothing on its connection once it has come', async () => {
    await serve();
    const [accepted] = (await once(server, 'connection')) as [Socket];
    const before = accepted.listenerCount('close');
    for (let time = 0; time < 3; time += 1) {
      answered = '';
      begin('/long', 1);
      socket.write('x');
      expect(await anAnswer()).to.include('whole');
    }
    expect(accepted.listenerCount('close')).to.equal(before);
  });

  it('does not count against the next request on its connection', async () => {
    await serve();
    begin('/', 1);
    socket.write('x');
    expect(await anAnswer()).to.include('whole');
    await pause(WHOLE_MS + 20);
    answered = '';
    begin('/', 1);
    socket.write('x');
    expect(await anAnswer()).to.include('whole');
  });
});
