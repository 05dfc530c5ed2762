import { expect } from 'chai';
import { toyApp, type Toy } from '../toy-app.js';

describe('server', () => {
  let toy: Toy;
  before(async () => {
    toy = await toyApp();
  });
  after(() => toy.close());

  const refusals: readonly (readonly [string, number, string])[] = [
    ['what is no HTTP', 400, 'hello\r\n\r\n'],
    ['an unknown method', 400, 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a header without a colon', 400, 'GET / HTTP/1.1\r\nHost: a\r\nbad\r\n\r\n'],
    ['two lengths', 400, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a broken chunk', 400, 'POST /api/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['too many bytes of headers', 431, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['too many headers', 431, `GET / HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(1000)}\r\n`],
    ['an expectation', 417, 'GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n'],
    ['no host', 400, 'GET /api/x HTTP/1.1\r\n\r\n'],
    ['a path that cannot be decoded', 404, 'GET /api/%E0%A4%A HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a whole address that is none', 400, 'GET http://[::x/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a server-wide request', 404, 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
  ];

  for (const [what, status, request] of refusals) {
    it(`refuses ${what} in JSON`, async () => {
      const answer = await toy.raw(request);
      const [head = '', body = ''] = answer.slice(answer.lastIndexOf(`HTTP/1.1 ${status}`)).split('\r\n\r\n');
      expect(head).to.include('Content-Type: application/json; charset=utf-8').and.include('Cache-Control: no-store');
      expect(head)
        .to.include('Access-Control-Allow-Origin: *')
        .and.include('Access-Control-Expose-Headers: X-PAGINATION');
      expect(head.match(/^cache-control:/gim)).to.have.length(1);
      expect(JSON.parse(body)).to.have.nested.property('error.code', status);
    });
  }

  const unencoded: readonly (readonly [string, string, string])[] = [
    ['letter beyond ASCII in the path', '/api/é', '%C3%A9'],
    ['letter beyond ASCII in the query', '/api/projects?query={"shortname":"é"}', '%C3%A9'],
    ['space in the path', '/api/a b', '%20'],
    ['space in the query', '/api/projects?query={"shortname": "a"}', '%20'],
  ];
  for (const [what, address, encoded] of unencoded) {
    it(`names the encoding that a ${what} needs`, async () => {
      const answer = await toy.raw(`GET ${address} HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect(answer).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
      const { message, details } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '').error;
      expect(message).to.equal(`Bad Request: ${details[0].message}`);
      expect(message)
        .to.match(/^Bad Request: the address .* percent-encoded/)
        .and.include(encoded);
    });
  }
});
