import { expect } from 'chai';
import { Problem, type ProblemKind } from '../../src/core/problem.js';
import { toyRoute as route } from './toy-route.js';
import { idParam } from '../../src/http/validate.js';
import { pageQuery, setPage, type PageQuery } from '../../src/http/pages/pagination.js';
import { setValidators } from '../../src/http/etag.js';
import { setLocation } from '../../src/http/location.js';
import { basic, PASSWORD, toyApp, type Toy } from './toy-app.js';

const MAX = 50;
/** Whatever their order, the closest one counts. */
const UNWANTED = ['*/*, application/json;q=0', 'application/json;q=0, */*', 'application/json;q=0, application/*'];
/** By which answers differ. */
const CREDENTIALS = ['Authorization', 'X-Auth-Token', 'X-Auth-UserId', 'X-Auth-AccessKey'];

interface NoteBody {
  readonly text: string;
}

const noteRoutes = () => [
  route<unknown, { id: number }>({
    method: 'GET',
    path: '/notes/:id',
    access: 'hybrid',
    summary: 'Read a note.',
    params: idParam('note'),
    handle({ ctx, params }) {
      setValidators(ctx, { revision: 3, lastModified: '2026-01-01T00:00:00.700Z' });
      ctx.body = { id: params.id };
    },
  }),
  route<unknown, { id: number }>({
    method: 'DELETE',
    path: '/notes/:id',
    access: 'protected',
    summary: 'Delete a note.',
    params: idParam('note'),
    handle: () => undefined,
  }),
  route<unknown, object, PageQuery>({
    method: 'GET',
    path: '/notes',
    access: 'hybrid',
    summary: 'List notes.',
    query: pageQuery(10, MAX),
    handle({ ctx, query }) {
      setPage(ctx, { ...query, total: 7, max: MAX });
      ctx.body = [];
    },
  }),
  route<unknown, object, object, NoteBody>({
    method: 'POST',
    path: '/notes',
    access: 'protected',
    summary: 'Write a note.',
    body: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    handle({ ctx, body }) {
      ctx.status = 201;
      setLocation(ctx, 'notes/1');
      ctx.body = { length: body.text.length };
    },
  }),
  route({
    method: 'GET',
    path: '/notes/mine',
    access: 'public',
    summary: 'Not an id.',
    handle({ ctx }) {
      ctx.body = { mine: true };
    },
  }),
  route({
    method: 'GET',
    path: '/defect',
    access: 'public',
    summary: 'Fails.',
    handle() {
      throw new TypeError('the inside of the machine');
    },
  }),
  route({
    method: 'GET',
    path: '/unprintable',
    access: 'public',
    summary: 'Has no JSON.',
    handle({ ctx }) {
      ctx.body = { big: 1n };
    },
  }),
  route<unknown, { kind: ProblemKind }>({
    method: 'GET',
    path: '/problems/:kind',
    access: 'public',
    summary: 'Refuses.',
    params: { type: 'object', properties: { kind: { type: 'string' } } },
    handle({ ctx, params }) {
      ctx.set('X-RateLimit-Limit', '5');
      throw new Problem(params.kind, 'because', { details: [{ pointer: '/a', message: 'is odd' }], retryAfter: 2.2 });
    },
  }),
];

describe('application', () => {
  let toy: Toy;
  before(async () => {
    toy = await toyApp({ routes: noteRoutes });
  });
  after(() => toy.close());

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(toy.url + path, { headers, method });
  const errorOf = async (response: Response): Promise<{ code: number; message: string }> => {
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    const body = (await response.json()) as { error: { code: number; message: string } };
    expect(body.error.code).to.equal(response.status);
    return body.error;
  };

  it('serves one set of routes under both prefixes, with or without a slash at the end', async () => {
    for (const path of ['/api/notes/7', '/api/v1/notes/7', '/api/notes/7/']) {
      expect(await (await get(path)).json()).to.deep.equal({ id: 7 });
    }
    expect((await errorOf(await get('/api/v2/notes/7?x=1'))).message).to.equal(
      'Not Found: No such route: GET /api/v2/notes/7',
    );
    expect((await errorOf(await get('/notes/7', {}, 'DELETE'))).message).to.equal(
      'Not Found: No such route: DELETE /notes/7',
    );
    expect((await errorOf(await get('/'))).message).to.equal('Not Found: No such route: GET /');
  });

  it('shows no secret and no markup of a path that it does not know', async () => {
    const shown = async (path: string) => (await errorOf(await get(path))).message.replace('Not Found: ', '');
    expect(await shown('/api/tokens/secret/x')).to.equal('No such route: GET /api/tokens/[redacted]/x');
    expect(await shown('/api/tlp-k1-12.c0ffee')).to.equal('No such route: GET /api/tlp-k1-12.[redacted]');
    expect(await shown('/api/%3Cscript%3E')).to.equal('No such route: GET /api/%3Cscript%3E');
    for (const path of ["/api/(alert)'", '/api/%3Cb%3E%2Ftokens%2Fx', `/api/${'x'.repeat(200)}`]) {
      expect(await shown(path), path).to.equal('No such route');
    }
  });

  it('prefers a fixed segment to a parameter', async () => {
    expect(await (await get('/api/notes/mine')).json()).to.deep.equal({ mine: true });
  });

  it('says Location under the prefix that the request used', async () => {
    const post = (prefix: string): Promise<Response> =>
      fetch(`${toy.url}${prefix}/notes`, {
        method: 'POST',
        body: '{"text":"a"}',
        headers: { 'Content-Type': 'application/json', ...basic('bob', PASSWORD) },
      });
    expect((await post('/api')).headers.get('location')).to.equal(`${toy.url}/api/notes/1`);
    const created = await post('/api/v1');
    expect(created.status).to.equal(201);
    expect(created.headers.get('location')).to.equal(`${toy.url}/api/v1/notes/1`);
  });

  it('answers HEAD as GET, without the body', async () => {
    const head = await get('/api/notes/7', {}, 'HEAD');
    expect(head.status).to.equal(200);
    expect(head.headers.get('content-length')).to.equal('8');
    expect(await head.text()).to.equal('');
  });

  it('spells header names as the contract does', async () => {
    const page = await toy.raw('GET /api/notes?limit=5&offset=2 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(page).to.include('\r\nX-PAGINATION-LIMIT: 5\r\nX-PAGINATION-OFFSET: 2\r\n');
    expect(page).to.include('\r\nX-PAGINATION-SIZE: 7\r\nX-PAGINATION-LIMIT-MAX: 50\r\n');
    const note = await toy.raw('GET /api/notes/1 HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(note).to.include('\r\nEtag: "3"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n');
  });

  it('sends the standing headers with every answer, errors too', async () => {
    for (const path of ['/api/notes/1', '/api/notes/x', '/nowhere', '/api/defect', '/health/live']) {
      const { headers } = await get(path);
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('expires')).to.equal('0');
      expect(headers.get('vary')?.split(', ')).to.have.members(['Accept', 'Accept-Encoding', ...CREDENTIALS]);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('access-control-allow-origin')).to.equal('*');
      expect(headers.get('access-control-allow-credentials')).to.equal('true');
      expect(headers.get('access-control-expose-headers')).to.include('X-PAGINATION-OFFSET');
      expect(headers.get('x-request-id')).to.match(/^[\w-]{36}$/);
    }
  });

  it('keeps a sane request id and replaces any other', async () => {
    expect((await get('/api/notes/1', { 'X-Request-Id': 'a.b-C_9' })).headers.get('x-request-id')).to.equal('a.b-C_9');
    for (const id of ['a b', 'x'.repeat(65), '"']) {
      expect((await get('/api/notes/1', { 'X-Request-Id': id })).headers.get('x-request-id')).to.match(/^[\w-]{36}$/);
    }
  });

  it('says what a path allows, on answers, refusals and to OPTIONS, which needs no user and no such resource', async () => {
    const options = await get('/api/notes/nobody', {}, 'OPTIONS');
    expect(options.status).to.equal(200);
    expect(await options.text()).to.equal('');
    const wrong = await get('/api/notes/1', {}, 'PUT');
    expect(wrong.status).to.equal(405);
    await errorOf(wrong);
    for (const { headers } of [options, wrong, await get('/api/notes/1')]) {
      expect(headers.get('allow')).to.equal('OPTIONS, GET, DELETE');
      expect(headers.get('access-control-allow-methods')).to.equal('OPTIONS, GET, DELETE');
    }
  });

  it('answers 200 with an empty body when a handler has nothing to say', async () => {
    const deleted = await get('/api/notes/1', basic('bob', PASSWORD), 'DELETE');
    expect(deleted.status).to.equal(200);
    expect(deleted.headers.get('content-length')).to.equal('0');
    expect(deleted.headers.get('content-type')).to.equal(null);
  });

  it('serves JSON to those who take it, and 406 to others', async () => {
    const taken = ['application/json', '*/*', 'application/*;q=0.1', 'text/html, application/json; charset=utf-8', ''];
    taken.push('Application/JSON', 'application/json, application/json;q=0', 'application/json, */*;q=0');
    for (const accept of taken) expect((await get('/api/notes/1', { Accept: accept })).status).to.equal(200);
    for (const accept of ['text/html', 'text/*', ...UNWANTED, 'nonsense', 'constructor']) {
      expect((await errorOf(await get('/api/notes/1', { Accept: accept }))).code).to.equal(406);
    }
  });

  it('checks in order: path, method, body, acceptance, user, values', async () => {
    const post = async (path: string, body: string, headers: Record<string, string>): Promise<number> =>
      (await errorOf(await fetch(toy.url + path, { method: 'POST', body, headers }))).code;
    const html = { Accept: 'text/html' };
    expect(await post('/api/nowhere', '{', html)).to.equal(404);
    expect(await post('/api/notes/1', '{', html)).to.equal(405);
    expect(await post('/api/notes', '{', { ...html, 'Content-Type': 'application/json' })).to.equal(400);
    expect(await post('/api/notes', '{}', { ...html, 'Content-Type': 'application/json' })).to.equal(406);
    expect(await post('/api/notes', '{}', { 'Content-Type': 'application/json' })).to.equal(401);
    expect(await post('/api/notes', '{}', { 'Content-Type': 'text/plain' })).to.equal(415);
    expect(await post('/api/notes', '{}', { 'Content-Type': 'application/json', ...basic('bob', PASSWORD) })).to.equal(
      400,
    );
  });

  it('turns each kind of problem into its status', async () => {
    const statuses: Record<ProblemKind, number> = {
      invalid: 400,
      unauthenticated: 401,
      'bad-credentials': 500,
      forbidden: 403,
      'not-found': 404,
      conflict: 409,
      stale: 412,
      'too-large': 413,
      unsupported: 415,
      'too-many': 429,
      unavailable: 503,
      full: 507,
    };
    for (const [kind, status] of Object.entries(statuses)) {
      const response = await get(`/api/problems/${kind}`);
      expect(response.status).to.equal(status);
      expect(response.headers.get('x-ratelimit-limit')).to.equal('5');
      expect(response.headers.get('retry-after')).to.equal('3');
      expect(response.headers.has('www-authenticate')).to.equal(status === 401);
      const error = await errorOf(response);
      expect(error.message).to.match(/^[A-Z][A-Za-z ]+: because$/);
      expect(error).to.have.deep.property('details', [{ pointer: '/a', message: 'is odd' }]);
    }
  });

  it('never shows a defect, and logs it with its request', async () => {
    for (const path of ['/api/defect', '/api/unprintable']) {
      const response = await get(path, { 'X-Request-Id': path.slice(5) });
      expect(await errorOf(response)).to.deep.equal({ code: 500, message: 'Internal Server Error' });
      const line = toy.lines().find(({ level, requestId }) => level === 50 && requestId === path.slice(5));
      expect(line)
        .to.have.property('err')
        .with.property('stack')
        .that.matches(/^TypeError: .*\n +at /);
    }
  });

  it('logs what it failed to do at error level, with the reason and where the request came from', async () => {
    for (const [kind, status, reason] of [
      ['unavailable', 503, 'because'],
      ['full', 507, 'because'],
    ] as const) {
      await get(`/api/problems/${kind}`, { 'X-Request-Id': `failed-${kind}` });
      const line = toy.lines().find(({ requestId }) => requestId === `failed-${kind}`);
      expect(line).to.include({ level: 50, msg: 'request', status, reason, address: '127.0.0.1' });
    }
    await get('/api/defect', { 'X-Request-Id': 'failed-defect' });
    const lines = toy.lines().filter(({ requestId }) => requestId === 'failed-defect');
    expect(lines.map(({ level, msg }) => [level, msg])).to.deep.equal([
      [50, 'defect'],
      [50, 'request'],
    ]);
    expect(lines[1]).to.include({ status: 500, reason: 'defect', address: '127.0.0.1' });
  });

  it('does not log a refusal as a defect', async () => {
    await get('/api/problems/bad-credentials', { 'X-Request-Id': 'deliberate' });
    const levels = toy
      .lines()
      .filter(({ requestId }) => requestId === 'deliberate')
      .map(({ level }) => level);
    expect(levels).to.deep.equal([30]);
  });

  it('logs one line for each request, without its query', async () => {
    await get('/api/notes?secret=hidden', { 'X-Request-Id': 'line', ...basic('bob', PASSWORD) });
    const { ms, time, ...line } = toy.lines().find(({ requestId }) => requestId === 'line')!;
    expect(ms).to.be.a('number');
    expect(time).to.match(/^\d{4}-/);
    expect(line).to.deep.equal({
      level: 30,
      requestId: 'line',
      method: 'GET',
      path: '/api/notes',
      status: 200,
      userId: 115,
      msg: 'request',
    });
    expect(toy.text()).not.to.include('hidden');
  });
});
