import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';
import { exchange, type Exchanged } from './exchange.js';
import { PLATFORM_OF_ALL_TYPES } from './platform.js';
import { bodyOf, type ErrorJson, type ProjectJson } from './shapes.js';

describe('a filter that cannot be understood', () => {
  let api: RunningService;
  let url: string;

  before(async () => {
    api = await runService({ platform: PLATFORM_OF_ALL_TYPES });
    url = `${api.url}/api/trackers/${api.tracker('item')}/artifacts`;
  });
  after(() => api.stop());

  const contains = (value: unknown) => ({ operator: 'contains', value });
  const asBody = async (filter: unknown, more = ''): Promise<Exchanged> =>
    exchange('GET', `${url}?limit=1000${more}`, { body: filter, headers: await api.signIn('tim') });
  const asQuery = async (filter: unknown, more = ''): Promise<Exchanged> =>
    exchange('GET', `${url}?query=${encodeURIComponent(JSON.stringify(filter))}${more}`);

  const wrong: [string, object][] = [
    ['nonesuch', { nonesuch: 1 }],
    ['title', { title: '/crash/' }],
    ['title', { title: contains('!/crash/') }],
    ['count', { count: '/5/' }],
    ['title', { title: { operator: '<', value: 'x' } }],
    ['title', { title: { operator: 'like', value: 'x' } }],
    ['title', { title: { operator: 'contains' } }],
    ['title', { title: { value: 'x' } }],
    ['title', { title: null }],
    ['title', { title: true }],
    ['title', { title: ['x'] }],
    ['count', { count: 'many' }],
    ['count', { count: '<' }],
    ['count', { count: { operator: '<', value: '<5' } }],
    ['count', { count: { operator: 'between', value: 5 } }],
    ['status_id', { status_id: 'Done' }],
    ['status_id', { status_id: 1.5 }],
    ['due', { due: 'yesterday' }],
    ['due', { due: '2024-02-30' }],
    ['due', { due: { operator: 'between', value: ['2024-02-27'] } }],
    ['due', { due: { operator: '<', value: ['2024-02-27', '2024-02-28'] } }],
    ['tags', { tags: true }],
    ['tags', { tags: ['urgent', null] }],
    ...['box', 'links', 'files', 'readers', 'remaining'].map((name): [string, object] => [name, { [name]: '1' }]),
  ];
  for (const [field, filter] of wrong) {
    it(`is refused with the name of the field: ${JSON.stringify(filter)}`, async () => {
      for (const answer of [await asBody(filter), await asQuery(filter)]) {
        expect(answer.status, answer.text).to.equal(400);
        const { message, details } = bodyOf<ErrorJson>(answer).error;
        expect(message).to.include(field);
        expect(details?.[0]?.pointer).to.equal(`/${field}`);
      }
    });
  }

  it('is one given twice, or an expression', async () => {
    expect((await asBody({ count: 5 }, '&query={"count":5}')).status).to.equal(400);
    expect((await asBody({ count: 5 }, '&expert_query=count%3D5')).status).to.equal(400);
    expect((await asQuery({ count: 5 }, '&expert_query=count%3D5')).status).to.equal(400);
  });

  it('is not one that is given beside an empty one, in either place', async () => {
    for (const empty of ['', '{}', '[]', 'null']) {
      expect((await asBody({ count: 5 }, `&query=${empty}`)).text, empty).to.equal((await asBody({ count: 5 })).text);
    }
    const { text } = await asQuery({ count: 5 });
    const body = await exchange('GET', `${url}?query={"count":5}`, { body: {}, headers: await api.signIn('tim') });
    expect([body.status, body.text]).to.deep.equal([200, text]);
  });

  it('is no JSON object', async () => {
    for (const filter of [[1], ['title'], 7, 'x', true]) {
      expect((await asQuery(filter)).status, JSON.stringify(filter)).to.equal(400);
    }
    for (const body of ['[1]', '7']) {
      expect((await asBody(body)).text, body).to.contain('Bad Request: the body must be an object"');
    }
    for (const body of ['{"title":', 'title=x', '7']) {
      expect((await asBody(body)).status, body).to.equal(400);
    }
    for (const query of ['{"title":', 'title', '{title: 1}']) {
      expect((await exchange('GET', `${url}?query=${encodeURIComponent(query)}`)).status, query).to.equal(400);
    }
    const headers = { 'Content-Type': 'text/plain' };
    expect((await exchange('GET', url, { body: '{}', headers })).status).to.equal(415);
  });

  it('is not UTF-8', async () => {
    for (const [name, value] of [
      ['query', '{"title":"caf%E9"}'],
      ['query', '{"title":{"operator":"!=","value":"caf%E9"}}'],
      ['expert_query', 'title%20!=%20"caf%E9"'],
    ] as const) {
      const answer = await exchange('GET', `${url}?limit=1&${name}=${value}`);
      expect(answer.status, value).to.equal(400);
      expect(answer.header('link')).to.equal(undefined);
      const { message, details } = bodyOf<ErrorJson>(answer).error;
      expect(message).to.equal(`Bad Request: ${name} is not UTF-8`);
      expect(details).to.deep.equal([{ pointer: name, message: 'is not UTF-8' }]);
    }
    expect((await exchange('GET', `${api.url}/api/trackers/%E9/artifacts`)).status).to.equal(400);
  });

  it('is nested deeper than a body may be, wherever a query is JSON', async () => {
    const deep = `{"title":${'['.repeat(6500)}${']'.repeat(6500)}}`;
    const headers = await api.signIn('tim');
    const [project] = (await api.get('/projects')).body as readonly ProjectJson[];
    const trackers = `projects/${project?.id}/trackers`;
    for (const path of [`trackers/${api.tracker('item')}/artifacts`, 'artifacts', 'projects', 'users', trackers]) {
      const { status, text } = await exchange('GET', `${api.url}/api/${path}?query=${deep}`, { headers });
      expect(status, path).to.equal(400);
      expect(text).to.contain('query is nested deeper than 64 levels');
    }
  });
});
