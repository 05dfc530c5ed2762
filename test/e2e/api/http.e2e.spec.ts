import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';
import { exchange } from './exchange.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf, type ErrorJson } from './shapes.js';

/** What clients of such a service find allowed, as far as it is served. Some compare it as a text. */
const ALLOWED: Readonly<Record<string, string>> = {
  '/tokens': 'OPTIONS, POST, DELETE',
  '/tokens/{token}': 'OPTIONS, DELETE',
  '/projects': 'OPTIONS, GET',
  '/projects/{id}': 'OPTIONS, GET',
  '/projects/{id}/trackers': 'OPTIONS, GET',
  '/projects/{id}/svn': 'OPTIONS, GET',
  '/projects/{id}/user_groups': 'OPTIONS, GET',
  '/trackers/{id}': 'OPTIONS, GET',
  '/trackers/{id}/artifacts': 'OPTIONS, GET',
  '/trackers/{id}/tracker_reports': 'OPTIONS, GET',
  '/trackers/{id}/used_artifact_links': 'OPTIONS, GET',
  '/tracker_reports/{id}': 'OPTIONS, GET',
  '/tracker_reports/{id}/artifacts': 'OPTIONS, GET',
  '/trackers/{id}/parent_artifacts': 'OPTIONS, GET',
  '/artifacts': 'OPTIONS, GET, POST',
  '/artifacts/{id}': 'OPTIONS, GET, PUT, DELETE',
  '/artifacts/{id}/changesets': 'OPTIONS, GET',
  '/artifacts/{id}/history': 'OPTIONS, GET',
  '/artifacts/{id}/links': 'OPTIONS, GET',
  '/artifacts/{id}/linked_artifacts': 'OPTIONS, GET',
  '/artifact_files/{id}': 'OPTIONS, GET',
  '/artifact_temporary_files': 'OPTIONS, GET, POST',
  '/artifact_temporary_files/{id}': 'OPTIONS, GET, PUT, DELETE',
  '/svn': 'OPTIONS, POST',
  '/svn/{id}': 'OPTIONS, GET, PUT, DELETE',
  '/users': 'OPTIONS, GET',
  '/users/{id}': 'OPTIONS, GET',
  '/user_groups/{id}': 'OPTIONS, GET',
  '/user_groups/{id}/users': 'OPTIONS, GET, PUT',
};

const CORS = ['Access-Control-Allow-Origin', 'Access-Control-Allow-Headers', 'Access-Control-Expose-Headers'];

const methodsIn = (allow: string | undefined): string[] => (allow ?? '').split(', ').sort();

type Paths = Readonly<Record<string, Readonly<Record<string, object>>>>;

describe('HTTP, on every route', () => {
  let api: RunningService;
  let paths: Paths;
  const artifacts: number[] = [];

  before(async () => {
    api = await runService({ platform: PLATFORM_OF_ALL_TYPES });
    ({ paths } = bodyOf<{ paths: Paths }>(await api.get('/openapi.json')));
    const values = [{ field_id: api.field('item', 'title'), value: 'An item' }];
    const answer = await api.post('/artifacts', { as: 'tim', body: { tracker: { id: api.tracker('item') }, values } });
    artifacts.push(bodyOf<{ id: number }>(answer).id);
  });
  after(() => api.stop());

  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    exchange(method, `${api.url}${path}`, { headers });
  const unknown = (path: string): string => path.replace(/\{\w+\}/g, '999999');
  /** One of each kind of what is served, with its parameters. */
  const addresses = (): readonly string[] => [
    '/projects',
    '/projects/101',
    '/projects/101/trackers',
    `/trackers/${api.tracker('item')}`,
    `/trackers/${api.tracker('item')}/artifacts`,
    `/artifacts/${artifacts[0]!}`,
    `/artifacts/${artifacts[0]!}/changesets`,
    '/artifacts?query=%7B%22id%22%3A%5B101%5D%7D',
    `/users/${api.user('tim')}`,
    '/user_groups/101_3',
    '/openapi.json',
  ];

  const described = () =>
    Object.entries(paths).map(([path, { servers, ...operations }]) => ({
      path,
      at: `${servers === undefined ? '/api' : ''}${unknown(path)}`,
      operations,
    }));

  it('OPTIONS tells the methods, without credentials and whether or not there is anything', async () => {
    for (const { path, at, operations } of described()) {
      const { status, header, text } = await send('OPTIONS', at, {
        Authorization: 'Basic nonsense',
      });
      expect([status, text], path).to.deep.equal([200, '']);
      const methods = Object.keys(operations).map((method) => method.toUpperCase());
      expect(methodsIn(header('Allow')), path).to.deep.equal(['OPTIONS', ...methods].sort());
      expect(header('Access-Control-Allow-Methods')).to.equal(header('Allow'));
      for (const name of CORS) expect(header(name), `${path} ${name}`).to.be.a('string');
    }
  });

  it('allows what clients expect, as far as it is served', async () => {
    for (const [path, allowed] of Object.entries(ALLOWED).filter(([each]) => each in paths)) {
      const { header } = await send('OPTIONS', `/api${unknown(path)}`);
      expect(header('Allow'), path).to.equal(allowed);
    }
  });

  it('names the methods in the order in which clients compare them, in every answer', async () => {
    const order = ['OPTIONS', 'HEAD', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
    for (const { path, at } of described()) {
      for (const method of ['OPTIONS', 'GET', 'HEAD', 'PATCH']) {
        const { header } = await send(method, at);
        const methods = header('Allow')?.split(', ');
        expect(methods, `${method} ${path}`).to.deep.equal(order.filter((each) => methods?.includes(each)));
        expect(header('Access-Control-Allow-Methods')).to.equal(header('Allow'));
      }
    }
  });

  it('has an answer to OPTIONS for all trackers, and to nothing else', async () => {
    for (const path of ['/api/trackers', '/api/v1/trackers/', '/api/Trackers']) {
      const { status, header, text } = await send('OPTIONS', path, { Authorization: 'Basic nonsense' });
      expect([status, header('Allow'), text], path).to.deep.equal([200, 'OPTIONS', '']);
      expect(header('Access-Control-Allow-Methods'), path).to.equal('OPTIONS');
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const refused = await send(method, path);
        expect([refused.status, refused.header('Allow')], `${method} ${path}`).to.deep.equal([405, 'OPTIONS']);
      }
    }
    expect(paths).not.to.have.property('/trackers');
  });

  it('answers 405 with the allowed methods to all others', async () => {
    for (const { path, at, operations } of described()) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        if (method.toLowerCase() in operations) continue;
        const { status, header, body } = await send(method, at);
        expect(status, `${method} ${path}`).to.equal(405);
        expect(header('Allow')).to.match(/^OPTIONS, /);
        expect(bodyOf<ErrorJson>({ body }).error.code).to.equal(405);
      }
    }
  });

  it('answers HEAD as GET, without the body', async () => {
    for (const path of addresses()) {
      const get = await send('GET', `/api${path}`);
      const head = await send('HEAD', `/api${path}`);
      expect([head.status, head.text], path).to.deep.equal([get.status, '']);
      for (const name of ['Content-Type', 'Content-Length', 'Etag', 'X-PAGINATION-SIZE', 'Allow']) {
        expect(head.header(name), `${path} ${name}`).to.equal(get.header(name));
      }
    }
  });

  it('is the same below both prefixes, with slashes at the end or doubled, and with unknown parameters', async () => {
    for (const path of addresses()) {
      const { status, text, header } = await send('GET', `/api${path}`);
      expect(status, path).to.equal(200);
      const [place, search = ''] = path.split('?');
      const joined = search === '' ? '' : `?${search}`;
      const doubled = `/${`/api${place!}`.replaceAll('/', '//')}/${joined}`;
      const others = [doubled, `/api/v1${path}`, `/api${place!}/${joined}`, `/api/v1${place!}/${joined}`];
      const odd = `/api${path}${search === '' ? '?' : '&'}nobody=knows&__proto__=1&nobody=twice&_=17`;
      for (const other of [...others, odd]) {
        const answer = await send('GET', other);
        expect([answer.status, answer.text], other).to.deep.equal([200, text]);
        expect(answer.header('X-PAGINATION-SIZE')).to.equal(header('X-PAGINATION-SIZE'));
      }
    }
  });

  it('takes POST for another method that a header names, of those that change something', async () => {
    const path = `/artifacts/${artifacts[0]!}`;
    const body = { values: [{ field_id: api.field('item', 'title'), value: 'Changed by POST' }] };
    const post = (method: string) => api.post(path, { as: 'tim', body, headers: { 'X-HTTP-Method-Override': method } });
    const titleOf = async () => bodyOf<{ title: string }>(await api.get(path)).title;
    for (const method of ['GET', 'POST', 'TRACE', 'OPTIONS', '']) expect((await post(method)).status).to.equal(405);
    expect(await titleOf()).to.equal('An item');
    expect((await post('put')).status).to.equal(200);
    expect(await titleOf()).to.equal('Changed by POST');
    expect((await post('PATCH')).status).to.equal(405);
    const asked = await send('GET', `/api${path}`, { 'X-HTTP-Method-Override': 'DELETE' });
    expect(asked.status).to.equal(200);
  });

  it('answers an unknown path with 404 in JSON', async () => {
    for (const path of ['/api/v2/projects', '/api/project', '/projects', '/api/projects/101/x']) {
      const { status, body, header } = await send('GET', path);
      expect(status, path).to.equal(404);
      expect(header('Content-Type'), path).to.equal('application/json; charset=utf-8');
      const message = `Not Found: No such route: GET ${path}`;
      expect(bodyOf<ErrorJson>({ body }).error, path).to.deep.equal({ code: 404, message });
    }
  });

  it('lets browsers read answers and errors alike', async () => {
    const failing: [string, string, number][] = [
      ['GET', '/api/projects/abc', 400],
      ['GET', '/api/users/self', 401],
      ['GET', '/api/trackers/999999', 404],
      ['PATCH', '/api/projects', 405],
      ['GET', '/api/nothing', 404],
      ['GET', '/api/projects', 200],
    ];
    for (const [method, path, expected] of failing) {
      const { status, header } = await send(method, path);
      expect(status, path).to.equal(expected);
      expect(header('Access-Control-Allow-Origin'), path).to.equal('*');
      for (const part of ['LIMIT', 'OFFSET', 'SIZE', 'LIMIT-MAX']) {
        expect(header('Access-Control-Expose-Headers')?.split(', ')).to.include(`X-PAGINATION-${part}`);
      }
      for (const name of ['X-Auth-Token', 'X-Auth-UserId', 'X-Auth-AccessKey', 'Authorization', 'Content-Type']) {
        expect(header('Access-Control-Allow-Headers')?.split(', ')).to.include(name);
      }
      expect(header('Cache-Control'), path).to.equal('no-store');
    }
    const refused = await send('GET', '/api/projects', { Accept: 'text/html' });
    expect([refused.status, refused.header('Access-Control-Allow-Origin')]).to.deep.equal([406, '*']);
    const wrong = await send('GET', '/api/projects', { 'X-Auth-Token': 'x', 'X-Auth-UserId': '115' });
    expect([wrong.status, wrong.header('Access-Control-Allow-Origin')]).to.deep.equal([500, '*']);
  });

  it('answers 400 for an id that is no positive integer', async () => {
    for (const id of ['abc', '-1', '1.5', '1e2', '%20', '0x65', '99999999999999999999', '0']) {
      for (const path of ['/projects/', '/trackers/', '/artifacts/']) {
        expect((await send('GET', `/api${path}${id}`)).status, `${path}${id}`).to.equal(400);
      }
    }
  });
});
