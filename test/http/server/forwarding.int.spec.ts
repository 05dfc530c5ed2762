/** Requests that one process passes on to another: what the other one sees, and what the client gets. */
import { once } from 'node:events';
import { Agent, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { expect } from 'chai';
import { codeOf } from '../../../src/core/concurrency/retry.js';
import { believeAddress, toldAddress } from '../../../src/http/client/told-address.js';
import { forwarding, type Forwarding } from '../../../src/http/server/forwarding.js';
import { listenPrivately } from '../../../src/http/server/private-socket.js';
import { jsonServer } from '../../../src/http/server/server.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

const LARGE = 3_000_000;

describe('a request that is passed on', () => {
  let directory: TemporaryDirectory;
  let [inner, outer]: Server[] = [];
  let main: Forwarding;
  let failures: unknown[];
  let serve: (request: IncomingMessage, response: ServerResponse) => void;
  let port: number;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  before(async () => {
    directory = await temporaryDirectory();
    const path = join(directory.path, 'inner.sock');
    inner = jsonServer((request, response) => {
      believeAddress(request);
      serve(request, response);
    });
    inner.maxHeadersCount = 0;
    await listenPrivately(inner, path);
    main = forwarding(path, (error) => failures.push(error));
    outer = jsonServer(main.forward);
    outer.listen(0, '127.0.0.1');
    await once(outer, 'listening');
    ({ port } = outer.address() as AddressInfo);
  });
  beforeEach(() => {
    failures = [];
  });
  after(async () => {
    agent.destroy();
    main.close();
    for (const server of [inner, outer]) {
      server?.close();
      server?.closeAllConnections();
    }
    await directory.remove();
  });

  const sent = async (method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) => {
    const sending = send({ host: '127.0.0.1', port, method, path, headers, agent });
    sending.on('error', () => undefined);
    sending.end(body);
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    return answer;
  };

  it('arrives with its headers as they were sent, and with the address of its client', async () => {
    serve = (request, response) => {
      const { method, url, rawHeaders } = request;
      response.writeHead(202, 'Noted', { 'X-SPELLED-So': 'yes' });
      response.end(JSON.stringify({ method, url, rawHeaders, address: toldAddress(request) }));
    };
    const answer = await sent('GET', '/a%20b?c=%C3%A4', { 'X-Given-So': 'Yes', 'X-Passed-On-For': '10.0.0.1' });
    expect([answer.statusCode, answer.statusMessage]).to.deep.equal([202, 'Noted']);
    expect(answer.rawHeaders).to.include('X-SPELLED-So');
    const { rawHeaders, ...rest } = (await json(answer)) as Record<string, unknown>;
    expect(rest).to.deep.equal({ method: 'GET', url: '/a%20b?c=%C3%A4', address: '127.0.0.1' });
    expect(rawHeaders).to.include.members(['X-Given-So', 'Yes', 'Host', `127.0.0.1:${port}`]);
    expect(rawHeaders).to.not.include('10.0.0.1');
  });

  it('keeps all its headers, and hides no second request behind too many of them', async () => {
    const urls: string[] = [];
    serve = (request, response) => {
      urls.push(request.url ?? '');
      void text(request).then((body) => response.end(JSON.stringify([toldAddress(request), body.length])));
    };
    const hidden = Buffer.from('GET /hidden HTTP/1.1\r\nHost: x\r\nX-Passed-On-For: 10.0.0.1\r\n\r\n');
    const length = String(hidden.length);
    // Node's client adds two.
    const many = (count: number) => Object.fromEntries(Array.from({ length: count - 3 }, (_, nth) => [`x${nth}`, '']));
    const answer = await sent('POST', '/', { ...many(1000), 'Content-Length': length }, hidden);
    expect(await json(answer)).to.deep.equal(['127.0.0.1', hidden.length]);
    for (const count of [1001, 1500]) {
      const refusal = await sent('POST', '/', { ...many(count), 'Content-Length': length }, hidden);
      expect([refusal.statusCode, refusal.headers.connection]).to.deep.equal([431, 'close']);
      expect(await json(refusal)).to.have.nested.property('error.code', 431);
    }
    expect(urls).to.deep.equal(['/']);
  });

  it('has the body that was sent, or none', async () => {
    serve = (request, response) => {
      void text(request).then((body) => {
        const { 'content-length': length = null, 'transfer-encoding': coding = null } = request.headers;
        response.end(JSON.stringify([body.length, length, coding]));
      });
    };
    const of = async (headers: Record<string, string>, body?: Buffer) => json(await sent('POST', '/', headers, body));
    expect(await of({ 'Content-Length': String(LARGE) }, Buffer.alloc(LARGE, 'a'))).to.deep.equal([
      LARGE,
      String(LARGE),
      null,
    ]);
    expect(await of({ 'Transfer-Encoding': 'chunked' }, Buffer.from('abc'))).to.deep.equal([3, null, 'chunked']);
    expect(await of({})).to.deep.equal([0, '0', null]);
    const untold = connect(port, '127.0.0.1');
    untold.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(await text(untold)).to.match(/\r\n\r\n\[0,"0",null\]$/);
  });

  it('may be answered before its body has come; the connection goes on', async () => {
    serve = (_, response) => response.writeHead(413).end('too much');
    for (let nth = 0; nth < 3; nth += 1) {
      const answer = await sent('POST', '/', { 'Content-Length': String(LARGE) }, Buffer.alloc(LARGE));
      expect([answer.statusCode, await text(answer)]).to.deep.equal([413, 'too much']);
    }
    expect(failures).to.deep.equal([]);
  });

  it('ends when its client leaves', async () => {
    const left = new Promise<void>((resolve) => {
      serve = (_, response) => {
        response.write('begun');
        response.once('close', resolve);
      };
    });
    const answer = await sent('GET', '/');
    answer.once('error', () => undefined);
    await once(answer, 'data');
    answer.destroy();
    await left;
    expect(failures).to.deep.equal([]);
  });

  it('ends when its client leaves before it is answered', async () => {
    const sending = send({ host: '127.0.0.1', port, path: '/' });
    sending.on('error', () => undefined);
    const left = new Promise<void>((resolve) => {
      serve = (_, response) => {
        response.once('close', resolve);
        sending.destroy();
      };
    });
    sending.end();
    await left;
    expect(failures).to.deep.equal([]);
  });

  it('ends when the other process breaks off its answer', async () => {
    serve = (_, response) => {
      response.writeHead(200, { 'Content-Length': '10' });
      response.write('begun', () => response.destroy());
    };
    const answer = await sent('GET', '/');
    expect(
      await text(answer).then(
        () => 'whole',
        () => 'broken off',
      ),
    ).to.equal('broken off');
  });

  it('is answered 503 in JSON when the other process does not answer', async () => {
    serve = ({ socket }) => socket.destroy();
    const answer = await sent('GET', '/');
    expect([answer.statusCode, answer.headers['retry-after']]).to.deep.equal([503, '1']);
    expect(await json(answer)).to.deep.equal({
      error: { code: 503, message: 'Service Unavailable: The service is starting; retry later' },
    });
    expect(failures).to.have.length(1);
  });

  it('is answered 400 with details when it cannot be passed on', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nTrailer: Expires\r\nConnection: close\r\n\r\n');
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head)
      .to.match(/^HTTP\/1.1 400 /)
      .and.include('Cache-Control: no-store');
    expect(JSON.parse(body)).to.deep.equal({
      error: { code: 400, message: 'Bad Request', details: [{ pointer: '', message: 'Bad Request' }] },
    });
  });

  it('has no answer where the other process took it and gave none: a repeat could do it twice', async () => {
    let taken = 0;
    serve = (request) => {
      taken += 1;
      request.socket.destroy();
    };
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const sending = send({ host: '127.0.0.1', port, method, path: '/', headers: { 'Content-Length': '2' } });
      sending.end('{}');
      const outcome = await once(sending, 'response').then(
        ([answer]: IncomingMessage[]) => answer?.statusCode,
        (error: unknown) => codeOf(error),
      );
      expect(outcome, method).to.equal('ECONNRESET');
    }
    expect(taken).to.equal(3);
  });

  it('is answered 503 where the other process cannot be reached', async () => {
    const nobody = forwarding(join(directory.path, 'nobody.sock'), () => undefined);
    const server = jsonServer(nobody.forward);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sending = send({
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      method: 'POST',
      path: '/',
    });
    sending.end('{}');
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    expect(answer.statusCode).to.equal(503);
    answer.resume();
    nobody.close();
    server.close();
    server.closeAllConnections();
  });

  it('of HTTP/1.0 needs no host', async () => {
    serve = ({ headers: { host } }, response) => response.end(host);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.0\r\n\r\n');
    expect(await text(socket)).to.match(new RegExp(`^HTTP/1.1 200 [^]*\r\n\r\nlocalhost:${port}$`));
  });
});
