/** A server whose connections another one has accepted: it keeps the time-outs and the end of one that listens. */
import { once } from 'node:events';
import { type Server, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { closingOf } from '../../../src/http/server/close-server.js';
import { servingHandedOver } from '../../../src/http/server/handed-over.js';
import { jsonServer } from '../../../src/http/server/server.js';

const TIMEOUTS = { headersTimeout: 100, connectionsCheckingInterval: 20 };

describe('a server that is handed connections', () => {
  let front: NetServer;
  let server: Server;
  let close: ReturnType<typeof closingOf>;
  let waiting: ServerResponse[];
  let port: number;
  beforeEach(async () => {
    waiting = [];
    server = jsonServer(({ url }, response) => {
      if (url === '/slow') waiting.push(response);
      else response.end('done');
    }, TIMEOUTS);
    close = closingOf(server);
    front = createServer({ pauseOnConnect: true }, servingHandedOver(server));
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    ({ port } = front.address() as AddressInfo);
  });
  afterEach(async () => {
    front.close();
    await close(0);
  });

  const opened = (written: string): Socket => {
    const socket = connect(port, '127.0.0.1');
    socket.write(written);
    return socket;
  };

  it('cuts off headers that do not come', async () => {
    expect(await text(opened('GET / HTTP/1.1\r\nHo'))).to.match(/^HTTP\/1.1 408 /);
  });

  it('ends after the answers that are under way, and waits for no idle connection', async () => {
    const idle = opened('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    const slow = opened('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    while (waiting.length === 0) await pause(5);
    let isClosed = false;
    const closed = close(5000).then(() => (isClosed = true));
    await text(idle);
    expect(isClosed).to.equal(false);
    waiting[0]!.end('late');
    expect(await text(slow)).to.match(/connection: close[^]*late$/i);
    await closed;
  });
});
