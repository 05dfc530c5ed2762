import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect } from 'chai';
import { listenAgain } from './same-port.js';

const HOST = '127.0.0.1';

describe('a port that was free for a while', () => {
  const servers: Server[] = [];
  const listening = async (port: number): Promise<Server> => {
    const server = createServer();
    servers.push(server);
    await once(server.listen(port, HOST), 'listening');
    return server;
  };
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  it('is listened on again once its other holder closes it', async () => {
    const other = await listening(0);
    const { port } = other.address() as AddressInfo;
    const again = listenAgain(() => listening(port));
    setTimeout(() => other.close(), 100);
    expect((await again).address()).to.include({ port });
  });

  it('is not waited for where something else is wrong', async () => {
    const refused = await listenAgain(() => Promise.reject(new Error('wrong'))).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error).with.property('message', 'wrong');
  });
});
