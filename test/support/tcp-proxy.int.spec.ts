import { expect } from 'chai';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tcpProxy, type TcpProxy } from './tcp-proxy.js';

/** An error is one way to end. */
async function expectEnded(socket: Socket): Promise<void> {
  await new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.on('close', resolve);
  });
}

describe('a proxy of connections', () => {
  let server: Server;
  let proxy: TcpProxy;

  beforeEach(async () => {
    server = createServer((socket) => socket.pipe(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await tcpProxy({ port: (server.address() as AddressInfo).port });
  });

  afterEach(async () => {
    await proxy.close();
    server.close();
  });

  const connected = async (): Promise<Socket> => {
    const socket = connect(proxy.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const echoed = async (socket: Socket, text: string): Promise<string> => {
    socket.write(text);
    const [chunk] = await once(socket, 'data');
    return String(chunk);
  };

  it('passes on what is said', async () => {
    const socket = await connected();
    expect(await echoed(socket, 'one')).to.equal('one');
    expect(await echoed(socket, 'two')).to.equal('two');
  });

  it('passes on that one side has ended', async () => {
    const socket = await connected();
    socket.end('last');
    const [chunk] = await once(socket, 'data');
    expect(String(chunk)).to.equal('last');
    await once(socket, 'close');
  });

  it('cuts connections, and lets others in', async () => {
    const socket = await connected();
    await echoed(socket, 'one');
    const closed = once(socket, 'close');
    proxy.cut();
    await closed;
    expect(await echoed(await connected(), 'two')).to.equal('two');
  });

  it('refuses new connections while it is told to, and leaves open ones alone', async () => {
    const before = await connected();
    await echoed(before, 'one');
    proxy.refuse();
    const refused = connect(proxy.port, '127.0.0.1');
    await expectEnded(refused);
    expect(await echoed(before, 'two')).to.equal('two');
    proxy.accept();
    expect(await echoed(await connected(), 'three')).to.equal('three');
  });

  it('loses what arrives on the connections that there are, and lets others in', async () => {
    const lost = await connected();
    await echoed(lost, 'one');
    proxy.lose();
    const arrived: string[] = [];
    lost.on('data', (chunk) => arrived.push(String(chunk)));
    lost.write('two');
    expect(await echoed(await connected(), 'three')).to.equal('three');
    expect(arrived).to.deep.equal([]);
    expect(lost.destroyed).to.equal(false);
  });

  it('passes on later, in order', async () => {
    const socket = await connected();
    proxy.delay(40);
    const began = performance.now();
    socket.write('a');
    socket.write('b');
    let said = '';
    while (said.length < 2) said += String((await once(socket, 'data'))[0]);
    expect(said).to.equal('ab');
    expect(performance.now() - began).to.be.greaterThan(75);
  });
});
