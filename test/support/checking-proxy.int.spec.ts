import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { checkingProxy, type CheckingProxy } from './checking-proxy.js';

const DESCRIPTION = {
  openapi: '3.1.0',
  paths: {
    '/a': {
      get: {
        operationId: 'getA',
        responses: { 200: { content: { 'application/json': { schema: { type: 'object', required: ['id'] } } } } },
      },
    },
  },
  components: { responses: {} },
};

describe('a proxy that checks what it passes on', () => {
  let server: Server;
  let proxy: CheckingProxy;
  let answer: { readonly status: number; readonly body: object };
  beforeEach(async () => {
    server = createServer((request, response) => {
      const { status, body } = request.url === '/api/openapi.json' ? { status: 200, body: DESCRIPTION } : { ...answer };
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await checkingProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const asked = async (): Promise<readonly [number | undefined, string]> => {
    const [response] = (await once(get(`${proxy.url}/api/a`, { agent: false }), 'response')) as [IncomingMessage];
    return [response.statusCode, await text(response)];
  };
  const stopped = (): Promise<string> => proxy.stop().then(() => 'no fault', String);

  it('gives each client the answer, and finds no fault with one that is described', async () => {
    answer = { status: 200, body: { id: 1 } };
    expect(await asked()).to.deep.equal([200, '{"id":1}']);
    expect(await stopped()).to.equal('no fault');
  });

  it('finds a body and a status that are not described', async () => {
    for (const given of [
      { status: 200, body: {} },
      { status: 202, body: { id: 1 } },
    ]) {
      answer = given;
      expect((await asked())[0]).to.equal(given.status);
    }
    expect(await stopped()).to.match(/GET \/api\/a 200 is not as described/);
  });

  it('finds that nobody came', async () => {
    expect(await stopped()).to.include('No program has asked');
  });
});
