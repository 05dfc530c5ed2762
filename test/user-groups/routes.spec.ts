import { expect } from 'chai';
import { userGroupRoutes } from '../../src/user-groups/routes.js';
import { directoryOf, groupOf, projectOf, userOf } from '../support/definitions.js';
import { pageOf, readApi, type ReadApi } from '../support/read-api.js';

const ann = userOf(114, { username: 'ann' });
const bob = userOf(115, { username: 'bob' });
const sue = userOf(116, { username: 'sue', status: 'suspended' });
const eve = userOf(117, { username: 'eve' });
const directory = directoryOf({
  users: [eve, bob, ann, sue],
  projects: [
    projectOf({
      admins: [ann.id],
      members: [bob.id, sue.id],
      groups: [groupOf(105, { shortName: 'developers', label: 'Developers', members: [bob.id] })],
    }),
    projectOf({ id: 111, access: 'private', groups: [groupOf(106)] }),
  ],
});

describe('GET /user_groups', () => {
  let api: ReadApi;
  before(async () => {
    api = await readApi(directory, userGroupRoutes({ directory }));
  });
  after(() => api.close());

  const usersOf = async (id: string) => pageOf(await api.get(`/user_groups/${id}/users`, eve), 'username').items;

  it('tells a group', async () => {
    expect((await api.get('/user_groups/110_3')).body).to.deep.equal({
      id: '110_3',
      uri: 'user_groups/110_3',
      label: 'Project members',
      users_uri: 'user_groups/110_3/users',
      short_name: 'project_members',
      key: 'ugroup_project_members_name_key',
    });
    expect((await api.get('/user_groups/105')).body).to.include({ id: '105', key: 'developers' });
    expect((await api.get('/user_groups/1')).body).to.include({ id: '1', short_name: 'all_users' });
  });

  it('lists its active users by username', async () => {
    expect(await usersOf('110_3')).to.deep.equal(['ann', 'bob']);
    expect(await usersOf('110_4')).to.deep.equal(['ann']);
    expect(await usersOf('105')).to.deep.equal(['bob']);
    expect(await usersOf('2')).to.deep.equal(['ann', 'bob', 'eve']);
    expect(pageOf(await api.get('/user_groups/2/users?limit=1&offset=1', eve), 'id')).to.deep.equal({
      items: [115],
      headers: [1, 1, 3, 50],
    });
    expect((await api.get('/user_groups/2/users')).status).to.equal(401);
  });

  it('knows each group under one id, within reach', async () => {
    for (const id of ['3', '999', '110_1', '110_105', '0_3', '0105', '999_3']) {
      expect((await api.get(`/user_groups/${id}`)).status, id).to.equal(404);
    }
    expect((await api.get('/user_groups/x')).status).to.equal(400);
    expect((await api.get('/user_groups/111_3')).status).to.equal(403);
    expect((await api.get('/user_groups/106')).status).to.equal(403);
  });
});
