import { expect } from 'chai';
import { artifactApi, refusal, type ArtifactApi } from './artifact-api.js';

describe('A request that is wrong as a whole, or in a parameter', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const at = (...pointers: readonly string[]) => ({ status: 400, pointers });
  const post = (body: unknown) => api.post('/artifacts', { as: 'carol', body });
  const pointersOf = async (path: string, query: unknown) =>
    refusal(await api.get(`${path}?query=${encodeURIComponent(JSON.stringify(query))}`, { as: 'carol' }));

  it('is answered with a detail about the body', async () => {
    const tracker = { id: api.tracker('bug') };
    const byField = { title: { value: 'a' } };
    expect(refusal(await post('{"tracker":'))).to.deep.equal(at(''));
    expect(refusal(await post(`{"tracker":"\\ud800"}`))).to.deep.equal(at(''));
    expect(refusal(await post({ tracker }))).to.deep.equal(at(''));
    for (const values of [null, []]) expect(refusal(await post({ tracker, values }))).to.deep.equal(at(''));
    const both = await post({ tracker, values: [api.titled('a')], values_by_field: byField });
    expect(refusal(both)).to.deep.equal(at(''));
  });

  it('is told that it must be an object if it is another kind of JSON', async () => {
    const id = await api.created();
    const put = (body: unknown) => api.put(`/artifacts/${id}`, { as: 'carol', body });
    for (const send of [post, put]) {
      for (const body of ['null', '1', '"a"', '[]', '[1]']) {
        const answer = await send(body);
        expect(refusal(answer), body).to.deep.equal(at(''));
        expect(answer.body.error.message, body).to.equal('Bad Request: the body must be an object');
      }
      expect((await send('{')).body.error.message).to.equal('Bad Request: The body is not valid JSON');
    }
  });

  it('is answered with a detail about the parameter', async () => {
    const artifacts = `/trackers/${api.tracker('bug')}/artifacts`;
    const { body: projects } = await api.get('/projects', { as: 'carol' });
    const project = `/projects/${(projects as readonly { readonly id: number }[])[0]!.id}`;
    for (const path of [artifacts, '/projects', `${project}/trackers`, `${project}/user_groups`]) {
      expect(await pointersOf(path, [1]), path).to.deep.equal(at('query'));
    }
    for (const path of ['/projects', `${project}/trackers`, `${project}/user_groups`, '/users']) {
      expect(await pointersOf(path, { foo: 1 }), path).to.deep.equal(at('query'));
    }
    for (const member of ['is_member_of', 'shortname', 'is_tracker_admin', 'is_admin_of']) {
      expect(await pointersOf('/projects', { [member]: 5 }), member).to.deep.equal(at('query'));
    }
    const id = await api.created();
    const past = await api.get(`/artifacts/${id}?revision=0&at=2027-01-01T00:00:00Z`, { as: 'carol' });
    expect(refusal(past)).to.deep.equal(at('at'));
    expect(refusal(await api.request('DELETE', '/tokens/garbage', { as: 'carol' }))).to.deep.equal(at('token'));
  });
});
