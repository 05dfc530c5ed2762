import { expect } from 'chai';
import fc from 'fast-check';
import { toyRoute as route } from './toy-route.js';
import { idParam } from '../../src/http/validate.js';
import { pageQuery } from '../../src/http/pages/pagination.js';
import { precondition } from '../../src/http/etag.js';
import { toyApp, type Toy } from './toy-app.js';

const item = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };

const routes = () => [
  route<unknown, { id: number }, object, object>({
    method: 'POST',
    path: '/things/:id',
    access: 'hybrid',
    summary: 'Takes what comes.',
    params: idParam('note'),
    query: pageQuery(10, 50),
    body: { type: 'object', properties: { items: { type: 'array', items: item } } },
    form: true,
    handle({ ctx, body }) {
      precondition(ctx)({ revision: 1, lastModified: '2026-01-01T00:00:00.000Z' });
      ctx.body = body;
    },
  }),
];

/** The bytes of a header's value, as they may stand on the wire. */
const value = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
});
const name = fc.constantFrom(
  'Accept',
  'Authorization',
  'X-Auth-Token',
  'X-Auth-UserId',
  'X-Request-Id',
  'If-Match',
  'If-Unmodified-Since',
  'Host',
  'Content-Type',
  'Content-Encoding',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'Expect',
  'Cookie',
  'Upgrade',
);
const telling = fc.constantFrom(
  'application/json',
  'application/x-www-form-urlencoded',
  'gzip',
  'Basic Og==',
  'Basic',
  '*/*',
  '""',
  '*',
  '::1',
);
const headers = fc.array(fc.tuple(name, fc.oneof(value, telling)), { maxLength: 6 });
const path = fc.oneof(
  fc.webPath(),
  fc.webSegment().map((segment) => `/api/things/${segment}`),
  fc.constant('/api/things/1'),
);
const query = fc.oneof(
  fc.webQueryParameters(),
  fc.constantFrom('limit=5', 'limit=5&limit=6', 'limit=%', '__proto__=1'),
);
const body = fc.oneof(
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.jsonValue().map((items) => JSON.stringify({ items })),
);

describe('any request at all', () => {
  let toy: Toy;
  before(async () => {
    toy = await toyApp({ routes, trustedProxies: ['127.0.0.1'] });
  });
  after(() => toy.close());

  it('is answered in JSON, and never by a defect', async () => {
    const property = fc.asyncProperty(path, query, headers, body, async (target, parameters, lines, content) => {
      const payload = Buffer.from(content);
      const given = lines.map(([header, text]) => `${header}: ${text}\r\n`).join('');
      const host = lines.some(([header]) => header === 'Host') ? '' : 'Host: ledger.test\r\n';
      const head = `POST ${target}?${parameters} HTTP/1.1\r\n${host}${given}Connection: close\r\nContent-Length: ${payload.length}\r\n\r\n`;
      const answer = await toy.raw(Buffer.concat([Buffer.from(head, 'latin1'), payload]));

      const [status, ...rest] = answer.slice(answer.lastIndexOf('HTTP/1.1 ')).split('\r\n');
      const [answerHead = '', text = ''] = rest.join('\r\n').split('\r\n\r\n');
      expect(status).to.match(/^HTTP\/1\.1 [245]\d\d /);
      expect(answerHead).to.include('Content-Type: application/json; charset=utf-8');
      const parsed = JSON.parse(text) as { error?: { message: string } };
      expect(parsed.error?.message).not.to.equal('Internal Server Error');
    });
    await fc.assert(property, { numRuns: 1000 });
    expect(toy.lines().filter(({ level }) => Number(level) > 30)).to.deep.equal([]);
  });
});
