/** A server whose connections another one has accepted: it keeps the time-outs and the end of one that listens. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Server, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { closingOf } from '../../../src/http/server/close-server.js';
import { servingHandedOver } from '../../../src/http/server/handed-over.js';
import { publicServer } from '../../../src/http/server/public-server.js';
import { jsonServer } from '../../../src/http/server/server.js';
import { createLogger } from '../../../src/logging/logger.js';

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

  it('closes one more than it may have, and serves again once there are fewer', async () => {
    server.maxConnections = 2;
    const asked = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    const served = async (): Promise<Socket | null> => {
      const socket = opened(asked).on('error', () => undefined);
      const [bytes] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [unknown];
      return Buffer.isBuffer(bytes) ? socket : null;
    };
    const [first, second] = [await served(), await served()];
    expect([first, second]).to.not.include(null);
    expect(await served()).to.equal(null);
    first?.destroy();
    while ((await served()) === null) await pause(5);
    second?.destroy();
  });

  it('may have as many as are documented, for as long as is, if clients reach it', () => {
    const limits = readFileSync('docs/limits.md', 'utf8');
    const [, documented = ''] = /\| Connections \| ([\d,]+) \|/.exec(limits) ?? [];
    const [, idle = ''] = /\| Idle connection \| (\d+) seconds \|/.exec(limits) ?? [];
    const { maxConnections, keepAliveTimeout } = publicServer(
      () => undefined,
      createLogger('silent'),
      () => false,
    );
    expect(maxConnections).to.equal(Number(documented.replaceAll(',', '')));
    expect(keepAliveTimeout).to.equal(1000 * Number(idle));
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
