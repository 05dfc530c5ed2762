import { expect } from 'chai';
import { anonymousUser } from '../../src/users/representation.js';
import { userRoutes } from '../../src/users/routes.js';
import { directoryOf, userOf } from '../support/definitions.js';
import { pageOf, readApi, type ReadApi } from '../support/read-api.js';

const bob = userOf(115, { username: 'bob', realName: 'Bob Stone', email: 'bob@example.org' });
const ann = userOf(116, { username: 'ann', realName: 'Ann Bobbin' });
const sue = userOf(117, { username: 'sue', realName: 'Sue Bobbin', status: 'suspended' });
const directory = directoryOf({ users: [bob, ann, sue] });

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
  let api: ReadApi;
  before(async () => {
    api = await readApi(directory, userRoutes({ directory }));
  });
  after(() => api.close());

  it('tells strangers the ten members that every representation has', async () => {
    const { body } = await api.get('/users/115');
    expect(body).to.have.all.keys(...KEYS);
    expect(anonymousUser()).to.have.all.keys(...KEYS);
    expect(body).to.deep.include({ uri: 'users/115', display_name: 'Bob Stone (bob)', is_anonymous: false });
  });

  it('tells those who have signed in the email and status too', async () => {
    expect((await api.get('/users/115', ann)).body).to.include({ email: 'bob@example.org', status: 'A' });
    expect((await api.get('/users/117', ann)).body).to.include({ status: 'S' });
  });

  it('tells who one is', async () => {
    expect((await api.get('/users/self', ann)).body).to.include({ id: 116, status: 'A' });
    expect((await api.get('/users/self')).status).to.equal(401);
  });

  it('gives every user an address of an image that there is', async () => {
    const { body } = await api.get('/users/115');
    expect(body)
      .to.have.property('avatar_url')
      .that.satisfies((url: string) => url.startsWith('data:image/gif;base64,'));
  });

  it('knows no other users', async () => {
    expect((await api.get('/users/999')).status).to.equal(404);
    expect((await api.get('/users/99999999999999999999')).status).to.equal(404);
    expect((await api.get('/users/bob')).status).to.equal(400);
    expect((await api.get('/users/1.5')).status).to.equal(400);
  });

  it('looks in both names of active users', async () => {
    expect(pageOf(await api.get('/users/?query=', ann), 'username')).to.deep.equal({
      items: ['ann', 'bob'],
      headers: [10, 0, 2, 50],
    });
    expect(pageOf(await api.get('/users?query=BOBB', ann), 'id').items).to.deep.equal([116]);
    expect(pageOf(await api.get('/users?query=bob&limit=1&offset=1', ann), 'id').items).to.deep.equal([115]);
  });

  it('finds one by username or email', async () => {
    const found = async (query: unknown) =>
      pageOf(await api.get(`/users?query=${encodeURIComponent(JSON.stringify(query))}`, ann), 'id').items;
    expect(await found({ username: 'bob' })).to.deep.equal([115]);
    expect(await found({ loginname: 'bo' })).to.deep.equal([]);
    expect(await found({ email: 'BOB@example.org' })).to.deep.equal([115]);
    for (const wrong of [{ id: 1 }, { username: 1 }, { username: 'a', email: 'b' }, {}]) {
      const { status } = await api.get(`/users?query=${encodeURIComponent(JSON.stringify(wrong))}`, ann);
      expect(status, JSON.stringify(wrong)).to.equal(400);
    }
  });

  it('lists nobody to strangers', async () => {
    expect((await api.get('/users')).status).to.equal(401);
  });
});
