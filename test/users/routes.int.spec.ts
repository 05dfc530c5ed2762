import { expect } from 'chai';
import { anonymousUser } from '../../src/users/representation.js';
import { pageOf, platformApi, type PlatformApi } from '../support/platform-api.js';

const PLATFORM = {
  users: [
    { username: 'bob', real_name: 'Bob Stone', email: 'bob@example.org' },
    { username: 'ann', real_name: 'Ann Bobbin' },
    { username: 'sue', real_name: 'Sue Bobbin', status: 'suspended' },
  ],
} as const;

const KEYS = [
  'id',
  'uri',
  'user_url',
  'real_name',
  'display_name',
  'username',
  'ldap_id',
  'avatar_url',
  'is_anonymous',
  'has_avatar',
];

describe('GET /users', () => {
  let api: PlatformApi;
  let [bob, ann, sue] = [0, 0, 0];
  before(async () => {
    api = await platformApi(PLATFORM);
    [bob, ann, sue] = [api.user('bob'), api.user('ann'), api.user('sue')];
  });
  after(() => api.stop());

  const asAnn = { as: 'ann' };

  it('shows anonymous readers the ten members of every representation', async () => {
    const { body } = await api.get(`/users/${bob}`);
    expect(body).to.have.all.keys(...KEYS);
    expect(anonymousUser()).to.have.all.keys(...KEYS);
    expect(body).to.deep.include({ uri: `users/${bob}`, display_name: 'Bob Stone (bob)', is_anonymous: false });
  });

  it('shows email and status to signed-in readers', async () => {
    expect((await api.get(`/users/${bob}`, asAnn)).body).to.include({ email: 'bob@example.org', status: 'A' });
    expect((await api.get(`/users/${sue}`, asAnn)).body).to.include({ status: 'S' });
  });

  it('returns the signed-in user', async () => {
    expect((await api.get('/users/self', asAnn)).body).to.include({ id: ann, status: 'A' });
    expect((await api.get('/users/self')).status).to.equal(401);
  });

  it('gives every user an address of an image that there is', async () => {
    const { body } = await api.get(`/users/${bob}`);
    expect(body)
      .to.have.property('avatar_url')
      .that.satisfies((url: string) => url.startsWith('data:image/gif;base64,'));
  });

  it('answers 404 for unknown users', async () => {
    expect((await api.get('/users/999')).status).to.equal(404);
    expect((await api.get('/users/99999999999999999999')).status).to.equal(404);
    expect((await api.get('/users/bob')).status).to.equal(400);
    expect((await api.get('/users/1.5')).status).to.equal(400);
  });

  it('looks in both names of active users', async () => {
    expect(pageOf(await api.get('/users/?query=bob', asAnn), 'username')).to.deep.equal({
      items: ['ann', 'bob'],
      headers: [10, 0, 2, 50],
    });
    expect(pageOf(await api.get('/users?query=BOBB', asAnn), 'id').items).to.deep.equal([ann]);
    expect(pageOf(await api.get('/users?query=bob&limit=1&offset=1', asAnn), 'id').items).to.deep.equal([bob]);
  });

  it('takes no text of fewer than three characters, which would list everybody', async () => {
    for (const search of ['', '?query=', '?query=bo', '?query=%20bo%20', '?query=%20%20%20', '?query=%F0%9F%98%80o']) {
      const { status, body } = await api.get(`/users${search}`, asAnn);
      expect([status, body.error?.details?.[0]?.pointer], search).to.deep.equal([400, 'query']);
    }
  });

  it('finds one by username or email', async () => {
    const found = async (query: unknown) =>
      pageOf(await api.get(`/users?query=${encodeURIComponent(JSON.stringify(query))}`, asAnn), 'id').items;
    expect(await found({ username: 'bob' })).to.deep.equal([bob]);
    expect(await found({ loginname: 'bo' })).to.deep.equal([]);
    expect(await found({ email: 'BOB@example.org' })).to.deep.equal([bob]);
    for (const wrong of [{ id: 1 }, { username: 1 }, { username: 'a', email: 'b' }, {}]) {
      const { status } = await api.get(`/users?query=${encodeURIComponent(JSON.stringify(wrong))}`, asAnn);
      expect(status, JSON.stringify(wrong)).to.equal(400);
    }
  });

  it('lists no users to anonymous readers', async () => {
    expect((await api.get('/users')).status).to.equal(401);
  });
});
