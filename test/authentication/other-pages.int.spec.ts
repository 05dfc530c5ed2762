import { expect } from 'chai';
import { type Viewer } from '../../src/authorization/viewer.js';
import { hashOf, identifierOf, newSecret } from '../../src/authentication/access-keys/identifier.js';
import { toyRoute as route } from '../http/toy-route.js';
import { basic, PASSWORD, toyApp, user, withToken, type Toy } from '../http/toy-app.js';

/** What a browser sends for a page of another origin without asking the service first. */
const TYPES_OF_FORMS = [
  '',
  'text/plain',
  'Text/Plain; charset=utf-8',
  'text/plain; application/json',
  'application/x-www-form-urlencoded',
  'APPLICATION/X-WWW-Form-Urlencoded;charset=UTF-8',
  'multipart/form-data; boundary=application/json',
  'text/ping',
];
const TYPES_OF_SCRIPTS = ['application/json', 'Application/JSON; charset=utf-8', 'application/offset+octet-stream'];
const ORIGIN = { Origin: 'https://page.example.org' };

describe('a POST that a browser sends for a page, with HTTP Basic', () => {
  let toy: Toy;
  let served: string[];
  beforeEach(async () => {
    served = [];
    toy = await toyApp({
      routes: () =>
        (['GET', 'POST', 'PUT', 'DELETE'] as const).map((method) =>
          route<Viewer>({
            method,
            path: '/notes',
            access: 'hybrid',
            summary: 'Serves a note.',
            handle: ({ viewer }) => void served.push(`${method} by ${viewer.user?.username ?? 'nobody'}`),
          }),
        ),
    });
  });
  afterEach(() => toy.close());

  const send = (method: string, headers: Record<string, string>, init: RequestInit = {}): Promise<Response> =>
    fetch(`${toy.url}/api/notes`, { ...init, method, headers });
  const typed = (type: string): Record<string, string> => (type === '' ? {} : { 'Content-Type': type });
  const bob = basic('bob', PASSWORD);

  it('is answered 403 if a form could have sent its Content-Type, and writes nothing', async () => {
    for (const Origin of [ORIGIN.Origin, 'null', toy.url]) {
      for (const type of TYPES_OF_FORMS) {
        const answer = await send('POST', { ...bob, Origin, ...typed(type) });
        expect(answer.status, `${Origin} ${type}`).to.equal(403);
        expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal('*');
        expect(await answer.json()).to.deep.equal({
          error: {
            code: 403,
            message:
              'Forbidden: POST by a web page with HTTP Basic needs a JSON Content-Type; send "Content-Type: application/json", or a token',
          },
        });
      }
    }
    expect((await send('POST', { ...bob, ...ORIGIN }, { body: new Blob(['{}']) })).status).to.equal(403);
    expect(served).to.deep.equal([]);
  });

  it('is refused before its password is checked, so that no page can lock an account', async () => {
    for (let time = 0; time < 11; time += 1) {
      expect((await send('POST', { ...basic('bob', 'wrong'), ...ORIGIN })).status).to.equal(403);
    }
    expect((await send('GET', bob)).status).to.equal(200);
  });

  it('is served with a Content-Type that a browser sends only after a preflight', async () => {
    for (const type of TYPES_OF_SCRIPTS) {
      expect((await send('POST', { ...bob, ...ORIGIN, ...typed(type) })).status, type).to.equal(200);
    }
    expect(served).to.deep.equal(TYPES_OF_SCRIPTS.map(() => 'POST by bob'));
  });

  it('needs no Content-Type if a program sends it, also one that sends Sec-Fetch-Mode, as Node does', async () => {
    for (const headers of [{}, { 'Sec-Fetch-Mode': 'cors' }, { 'Sec-Fetch-Mode': 'no-cors' }]) {
      expect((await send('POST', { ...bob, ...headers })).status).to.equal(200);
    }
    expect((await send('POST', bob, { body: new Blob(['{}']) })).status).to.equal(200);
  });

  it('needs no Content-Type with a token or an access key, which no browser sends by itself', async () => {
    const secret = newSecret();
    const key = { id: 7, secretHash: hashOf(secret), description: '', createdAt: '2026-03-01T09:00:00.000Z' };
    toy.world.users = [user(115, 'bob', { accessKeys: [{ ...key, expiresAt: null, lastUsedAt: null }] })];
    const token = withToken(toy.tokens.issue(toy.world.users[0]!), '115');
    for (const own of [token, { 'X-Auth-AccessKey': identifierOf({ accessKeyId: 7, secret }) }]) {
      expect((await send('POST', { ...own, ...bob, ...ORIGIN })).status).to.equal(200);
    }
    expect((await send('POST', ORIGIN)).status).to.equal(200);
    expect(served).to.deep.equal(['POST by bob', 'POST by bob', 'POST by nobody']);
  });

  it('is told from other methods, which need a preflight or write nothing, also if a header names another method', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await send(method, { ...bob, ...ORIGIN })).status, method).to.equal(200);
    }
    for (const method of ['GET', 'POST']) {
      const named = { 'X-HTTP-Method-Override': 'DELETE' };
      expect((await send(method, { ...bob, ...ORIGIN, ...named })).status, method).to.equal(200);
    }
    const methods = ['GET', 'GET', 'PUT', 'DELETE', 'GET', 'DELETE'];
    expect(served).to.deep.equal(methods.map((method) => `${method} by bob`));
  });
});
