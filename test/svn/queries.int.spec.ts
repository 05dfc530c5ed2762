import { expect } from 'chai';
import { svnApi, type SvnApi } from './svn-api.js';

describe('reading svn repositories', () => {
  let api: SvnApi;
  let id: number;
  let closed: number;
  before(async () => {
    api = await svnApi();
    for (const name of ['middle', 'Zoo', 'alpha']) await api.created(name);
    id = await api.created('beta');
    await api.created('elsewhere', { project_id: api.project('other') });
    const body = { project_id: api.project('closed'), name: 'secret' };
    closed = (await api.post('/svn', { as: 'max', body })).body.id;
  });
  after(() => api.stop());

  const list = async (query = '', as?: string) => {
    const answer = await api.get(`/projects/${api.project('hydra')}/svn${query}`, as === undefined ? {} : { as });
    const repositories: readonly { readonly name: string }[] = answer.body.repositories ?? [];
    return {
      status: answer.status,
      names: repositories.map(({ name }) => name),
      page: ['limit', 'offset', 'size', 'limit-max'].map((part) => Number(answer.headers.get(`x-pagination-${part}`))),
    };
  };
  const named = (query: unknown): string => `?query=${encodeURIComponent(JSON.stringify(query))}`;

  it('shows one with its settings to those who may change them', async () => {
    for (const as of ['pam', 'root']) {
      expect((await api.get(`/svn/${id}`, { as })).body).to.include.keys('settings');
    }
    for (const options of [{ as: 'tim' }, { as: 'eve' }, {}]) {
      const { status, body } = await api.get(`/svn/${id}`, options);
      expect(status).to.equal(200);
      expect(body).to.have.all.keys('id', 'project', 'uri', 'name', 'svn_url');
    }
  });

  it('answers for one that the reader cannot have', async () => {
    expect((await api.get('/svn/999999')).status).to.equal(404);
    expect((await api.get('/svn/beta')).status).to.equal(400);
    expect((await api.get(`/svn/${closed}`, { as: 'pam' })).status).to.equal(403);
    expect((await api.get(`/svn/${closed}`, { as: 'max' })).status).to.equal(200);
  });

  it('lists those of a project by name in any case, without settings', async () => {
    expect(await list()).to.deep.equal({
      status: 200,
      names: ['alpha', 'beta', 'middle', 'Zoo'],
      page: [10, 0, 4, 50],
    });
    const { body } = await api.get(`/projects/${api.project('hydra')}/svn`, { as: 'pam' });
    const [, beta] = body.repositories;
    const { settings, ...short } = (await api.get(`/svn/${id}`, { as: 'pam' })).body;
    expect(settings).to.be.an('object');
    expect(beta).to.deep.equal(short);
  });

  it('gives the pages that are asked for', async () => {
    expect(await list('?limit=2&offset=1')).to.deep.include({ names: ['beta', 'middle'], page: [2, 1, 4, 50] });
    expect(await list('?offset=4')).to.deep.include({ names: [], page: [10, 4, 4, 50] });
    expect((await list('?limit=51')).status).to.equal(400);
    expect((await list('?limit=-1')).status).to.equal(400);
  });

  it('finds one by its exact name', async () => {
    expect(await list(named({ name: 'beta' }))).to.deep.include({ names: ['beta'], page: [10, 0, 1, 50] });
    expect((await list(named({ name: 'Beta' }))).names).to.deep.equal([]);
    expect((await list(named({ name: 'elsewhere' }))).names).to.deep.equal([]);
    expect((await list('?query=')).names).to.have.length(4);
    expect((await list(named({}))).names).to.have.length(4);
  });

  for (const query of [{ name: 7 }, { label: 'beta' }, ['beta'], 'beta']) {
    it(`refuses the query ${JSON.stringify(query)}`, async () => {
      expect((await list(named(query))).status).to.equal(400);
    });
  }

  it('refuses a query that is not JSON', async () => {
    expect((await list('?query={name')).status).to.equal(400);
  });

  it('answers for the project as for any other of its collections', async () => {
    const of = async (shortname: string, as?: string) =>
      (await api.get(`/projects/${api.project(shortname)}/svn`, as === undefined ? {} : { as })).status;
    expect((await api.get('/projects/999999/svn')).status).to.equal(404);
    expect(await of('closed', 'pam')).to.equal(403);
    expect(await of('closed', 'max')).to.equal(200);
    expect(await of('frozen', 'pam')).to.equal(403);
    expect(await of('frozen', 'root')).to.equal(200);
  });

  it('has an empty list for a project without svn', async () => {
    const { status, body } = await api.get(`/projects/${api.project('plain')}/svn`, { as: 'pam' });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ repositories: [] });
  });

  it('is found from the project where svn is on', async () => {
    const resources = async (shortname: string) =>
      (await api.get(`/projects/${api.project(shortname)}`)).body.resources as readonly object[];
    expect(await resources('hydra')).to.deep.include({ type: 'svn', uri: `projects/${api.project('hydra')}/svn` });
    expect(JSON.stringify(await resources('plain'))).not.to.contain('svn');
  });

  it('is described with the other routes', async () => {
    const { paths } = (await api.get('/openapi.json')).body;
    expect(paths['/svn']).to.have.keys('post');
    expect(paths['/svn/{id}']).to.have.keys('get', 'put', 'delete');
    expect(paths['/projects/{id}/svn']).to.have.keys('get');
    const { headers, status } = await api.request('OPTIONS', '/svn/1');
    expect(status).to.equal(200);
    expect(headers.get('allow')).to.equal('OPTIONS, GET, PUT, DELETE');
    expect((await api.request('PATCH', '/svn/1')).status).to.equal(405);
  });
});
