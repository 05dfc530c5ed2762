import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { toyRoute as route } from '../toy-route.js';
import { toyApp, type Toy } from '../toy-app.js';

interface Answer {
  readonly status: number;
  readonly text: string;
}

const anything = { type: 'object' };

const LISTS = {
  '/list': { type: ['array', 'object'], maxItems: 2 },
  '/empty-list': { type: ['object', 'array'], maxItems: 0 },
};

const routes = () => [
  ...Object.entries(LISTS).map(([path, body]) =>
    route<unknown, object, object, object>({
      method: 'POST',
      path,
      access: 'public',
      summary: 'Takes lists.',
      body,
      handle({ ctx }) {
        ctx.body = {};
      },
    }),
  ),
  route<unknown, object, object, object>({
    method: 'POST',
    path: '/echo',
    access: 'public',
    summary: 'Says what it was told.',
    body: anything,
    handle({ ctx, body }) {
      ctx.body = { names: Object.keys(body), body };
    },
  }),
  route<unknown, object, object, object>({
    method: 'GET',
    path: '/echo',
    access: 'public',
    summary: 'Says what it was told.',
    body: anything,
    handle({ ctx, body }) {
      ctx.body = body;
    },
  }),
  route<unknown, object, object, object>({
    method: 'POST',
    path: '/form',
    access: 'public',
    summary: 'Takes forms too.',
    body: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    form: true,
    handle({ ctx, body }) {
      ctx.body = body;
    },
  }),
  route({
    method: 'GET',
    path: '/bodiless',
    access: 'public',
    summary: 'Takes no body.',
    handle({ ctx, body }) {
      ctx.body = body;
    },
  }),
  route({
    method: 'DELETE',
    path: '/bodiless',
    access: 'public',
    summary: 'Takes no body.',
    handle({ ctx, body }) {
      ctx.body = body;
    },
  }),
];

describe('request body', () => {
  let toy: Toy;
  before(async () => {
    toy = await toyApp({ routes });
  });
  after(() => toy.close());

  const post = async (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = { 'Content-Type': 'application/json' },
    path = '/api/echo',
  ): Promise<Answer> => {
    const response = await fetch(toy.url + path, { method: 'POST', body, headers });
    const text = await response.text();
    if (response.status >= 400) expect(JSON.parse(text)).to.have.nested.property('error.code', response.status);
    return { status: response.status, text };
  };
  const getWithBody = async (body: string, headers = '', path = '/api/echo'): Promise<string> => {
    const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    return toy.raw(`GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}${length}\r\n${body}`);
  };

  it('is JSON, also when its type is not said or says so at length', async () => {
    for (const type of [
      'application/json',
      'application/json;charset=utf-8',
      'Application/JSON',
      'application/vnd.api+json',
      'application/json; charset="UTF-8"',
      'application/json; charset=us-ascii',
    ]) {
      expect((await post('{"a":1}', { 'Content-Type': type })).text, type).to.equal('{"names":["a"],"body":{"a":1}}');
    }
    const untyped = 'POST /api/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n{"a":1}';
    expect(await toy.raw(untyped)).to.include('"body":{"a":1}');
  });

  it('may be empty, and is of any type then', async () => {
    expect((await post('')).text).to.equal('{"names":[],"body":{}}');
    expect((await post('', { 'Content-Type': 'text/plain' })).text).to.equal('{"names":[],"body":{}}');
    const chunked = 'POST /api/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    expect(await toy.raw(chunked)).to.include('"body":{}');
  });

  it('may be null where a request may come without one, and only there', async () => {
    expect((await post('null')).text).to.equal('{"names":[],"body":{}}');
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${toy.url}/api/bodiless`, { method: 'DELETE', body: 'null', headers });
    expect([response.status, await response.text()]).to.deep.equal([200, '{}']);
    expect((await post('null', undefined, '/api/form')).status).to.equal(400);
  });

  it('is refused with what it may be if it is neither an object nor an array', async () => {
    for (const [path, kinds] of [
      ['/api/form', 'an object'],
      ['/api/empty-list', 'an object'],
      ['/api/list', 'an object or an array'],
    ] as const) {
      const { text } = await post('7', undefined, path);
      expect(JSON.parse(text), path).to.have.nested.property('error.message', `Bad Request: the body must be ${kinds}`);
    }
  });

  it('is refused as malformed when it is no JSON document', async () => {
    for (const body of ['{', '{"a":}', 'a', '"text"', '5', '{"a":1}{', "{'a':1}", '\u0000', ' ']) {
      expect((await post(body)).status, body).to.equal(400);
    }
  });

  it('is refused for its type or encoding with 415', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'json',
      'application/json; charset=latin1',
    ]) {
      expect((await post('{}', { 'Content-Type': type })).status, type).to.equal(415);
    }
    expect((await post('{}', { 'Content-Type': 'application/json', 'Content-Encoding': 'br2' })).status).to.equal(415);
  });

  it('may be compressed, but not beyond its limit', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const zipped = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(text));
    for (const name of ['gzip', 'GZIP']) {
      expect((await post(zipped('{"a":1}'), { ...headers, 'Content-Encoding': name })).status).to.equal(200);
    }
    expect((await post(zipped(JSON.stringify({ a: ' '.repeat(4e6) })), headers)).status).to.equal(413);
    expect((await post('not gzip', headers)).status).to.equal(400);
  });

  it('holds a mebibyte and not a byte more', async () => {
    const ofSize = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect((await post(ofSize(1_048_576))).status).to.equal(200);
    expect((await post(ofSize(1_048_577))).status).to.equal(413);
  });

  it('is 64 levels deep at most, and no depth harms the service', async () => {
    const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
    expect((await post(nested(64))).status).to.equal(200);
    expect((await post(nested(65))).status).to.equal(400);
    expect((await post('['.repeat(500_000) + ']'.repeat(500_000))).status).to.equal(400);
    expect((await post('['.repeat(1_000_000))).status).to.equal(400);
  });

  it('holds a bounded number of values', async () => {
    expect((await post(`{"a":[${'1,'.repeat(19_990)}1]}`)).status).to.equal(200);
    expect((await post(`{"a":[${'1,'.repeat(20_000)}1]}`)).status).to.equal(400);
  });

  it('is Unicode', async () => {
    expect((await post(String.raw`{"a":"\ud83d\ude00"}`)).status).to.equal(200);
    for (const body of [String.raw`{"a":"\ud83d"}`, String.raw`{"a":["\uDE00x"]}`, String.raw`{"\ud83d":1}`]) {
      expect((await post(body)).status, body).to.equal(400);
    }
    expect((await post(new Uint8Array(Buffer.from('{"a":"caf\xe9"}', 'latin1')))).status).to.equal(400);
    expect((await post(new Uint8Array(Buffer.from('{"a":"caf\xe9"}')))).status).to.equal(200);
  });

  it('may begin with the mark of the byte order', async () => {
    expect((await post('\uFEFF{"a":1}')).text).to.equal('{"names":["a"],"body":{"a":1}}');
  });

  it('takes names that JavaScript knows for names', async () => {
    const answer = await post('{"__proto__":{"admin":true},"constructor":1,"toString":2}');
    expect(answer.text).to.equal(
      '{"names":["__proto__","constructor","toString"],"body":{"__proto__":{"admin":true},"constructor":1,"toString":2}}',
    );
    expect(Object.hasOwn(Object.prototype, 'admin')).to.equal(false);
  });

  it('is a form only where forms are taken', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await post('a=1%202', headers, '/api/form')).text).to.equal('{"a":"1 2"}');
    expect((await post('{"a":"json"}', undefined, '/api/form')).text).to.equal('{"a":"json"}');
    expect((await post('a=1&a=2', headers, '/api/form')).status).to.equal(400);
    expect((await post('a=1', headers)).status).to.equal(415);
  });

  it('is a form of 64 KiB at most, which may be compressed', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const ofSize = (bytes: number): string => `a=${'x'.repeat(bytes - 2)}`;
    const zipped = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(text));
    const form = async (body: string | Uint8Array<ArrayBuffer>, encoding = 'identity'): Promise<number> =>
      (await post(body, { ...headers, 'Content-Encoding': encoding }, '/api/form')).status;
    expect([await form(ofSize(65_536)), await form(ofSize(65_537))]).to.deep.equal([200, 413]);
    expect([await form(zipped(ofSize(65_536)), 'gzip'), await form(zipped(ofSize(65_537)), 'gzip')]).to.deep.equal([
      200, 413,
    ]);
    expect(await form('not gzip', 'gzip')).to.equal(400);
    expect(await form('a=1', 'br2')).to.equal(415);
  });

  it('comes with a GET where the route asks for one', async () => {
    expect(await getWithBody('{"a":1}', 'Content-Type: application/json\r\n')).to.match(/\r\n\r\n\{"a":1\}$/);
    expect(await getWithBody('{"a":1}')).to.match(/\r\n\r\n\{"a":1\}$/);
    expect(await getWithBody('{', 'Content-Type: application/json\r\n')).to.match(/^HTTP\/1.1 400 /);
    expect(await getWithBody('a=1', 'Content-Type: text/plain\r\n')).to.match(/^HTTP\/1.1 415 /);
    expect(await getWithBody('{', 'Content-Type: application/json\r\n', '/api/bodiless')).to.match(/\r\n\r\n\{\}$/);
  });
});
