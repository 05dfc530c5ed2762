import { expect } from 'chai';
import { pageOf, platformApi, type PlatformApi } from '../support/platform-api.js';

const PLATFORM = {
  users: [
    { username: 'eve' },
    { username: 'bob' },
    { username: 'ann' },
    { username: 'sue', status: 'suspended' },
    { username: 'tim', email: 'Same@example.org' },
    { username: 'tom', email: 'same@example.org' },
    { username: 'root', site_admin: true },
  ],
  projects: [
    {
      shortname: 'open',
      label: 'Open',
      admins: ['ann'],
      members: ['bob', 'sue'],
      user_groups: [{ short_name: 'developers', label: 'Developers', members: ['bob'] }],
    },
    {
      shortname: 'hidden',
      label: 'Hidden',
      access: 'private',
      user_groups: [{ short_name: 'plotters', label: 'Plotters' }],
    },
  ],
} as const;

/** Of a group, wherever it is. */
const NAMED = ['id', 'uri', 'label', 'users_uri', 'short_name', 'key'];

describe('GET /user_groups', () => {
  let api: PlatformApi;
  let [open, hidden, developers] = [0, 0, 0];
  before(async () => {
    api = await platformApi(PLATFORM);
    [open, hidden, developers] = [api.project('open'), api.project('hidden'), api.group('developers')];
  });
  after(() => api.stop());

  const usersOf = async (id: string, as = 'ann') =>
    pageOf(await api.get(`/user_groups/${id}/users`, { as }), 'username').items;

  it('returns a group', async () => {
    expect((await api.get(`/user_groups/${open}_3`)).body).to.deep.equal({
      id: `${open}_3`,
      uri: `user_groups/${open}_3`,
      label: 'Project members',
      users_uri: `user_groups/${open}_3/users`,
      short_name: 'project_members',
      key: 'ugroup_project_members_name_key',
      project: {
        id: open,
        uri: `projects/${open}`,
        label: 'Open',
        label_without_icon: 'Open',
        shortname: 'open',
        status: 'active',
        access: 'public',
        is_template: false,
      },
      additional_information: [],
    });
    expect((await api.get(`/user_groups/${developers}`)).body).to.include({
      id: String(developers),
      key: 'developers',
    });
    expect((await api.get(`/user_groups/${developers}`)).body.project).to.include({ id: open });
    expect((await api.get('/user_groups/1')).body).to.include({
      id: '1',
      short_name: 'all_users',
      key: 'ugroup_anonymous_users_name_key',
      project: null,
    });
    expect((await api.get('/user_groups/2')).body.key).to.equal('ugroup_registered_users_name_key');
    expect((await api.get(`/user_groups/${open}_4`)).body.key).to.equal('ugroup_project_admins_name_key');
  });

  it('lists its active users by username', async () => {
    expect(await usersOf(`${open}_3`)).to.deep.equal(['ann', 'bob']);
    expect(await usersOf(`${open}_4`)).to.deep.equal(['ann']);
    expect(await usersOf(String(developers))).to.deep.equal(['bob']);
    expect(await usersOf('2', 'root')).to.deep.equal(['ann', 'bob', 'eve', 'root', 'tim', 'tom']);
    expect(pageOf(await api.get('/user_groups/2/users?limit=1&offset=1', { as: 'root' }), 'id')).to.deep.equal({
      items: [api.user('bob')],
      headers: [1, 1, 6, 50],
    });
    expect((await api.get('/user_groups/2/users')).status).to.equal(401);
  });

  it('finds a member by the user name, the email address or the display name', async () => {
    const found = async (group: string, identifier: string, as = 'ann', page = '') => {
      const query = encodeURIComponent(JSON.stringify({ identifier }));
      return pageOf(await api.get(`/user_groups/${group}/users?query=${query}${page}`, { as }), 'username');
    };
    const one = (...items: readonly string[]) => ({ items, headers: [10, 0, items.length, 50] });
    for (const identifier of [
      'bob',
      'BOB',
      'bob@example.org',
      'Bob@Example.org',
      'bob Smith (bob)',
      'Bob Smith (bob)',
    ]) {
      expect(await found(`${open}_3`, identifier), identifier).to.deep.equal(one('bob'));
      expect(await found(String(developers), identifier), identifier).to.deep.equal(one('bob'));
      expect(await found(`${open}_4`, identifier), identifier).to.deep.equal(one());
    }
    for (const identifier of [
      'eve',
      'eve@example.org',
      'eve Smith (eve)',
      'sue',
      'nobody',
      'bo',
      'bob@',
      'Bob (bob)',
      'bob Smith',
      '',
    ]) {
      expect(await found(`${open}_3`, identifier), identifier).to.deep.equal(one());
    }
    expect(await found('2', 'same@example.org', 'root')).to.deep.equal(one('tim', 'tom'));
    expect(await found('2', 'eve', 'root', '&limit=1&offset=1')).to.deep.equal({ items: [], headers: [1, 1, 1, 50] });
  });

  it('refuses another query for members, and none to those who may list them', async () => {
    const status = async (query: string, as = 'ann') =>
      (await api.get(`/user_groups/${open}_3/users?query=${encodeURIComponent(query)}`, { as })).status;
    const wrong = [
      '{"username":"bob"}',
      '{"identifier":"bob","x":1}',
      '{"identifier":7}',
      '{"identifier":null}',
      'bob',
    ];
    for (const query of [...wrong, '["bob"]', '{"identifier":']) expect(await status(query), query).to.equal(400);
    for (const query of ['', '{}']) expect(await status(query), query).to.equal(200);
    for (const query of ['{"identifier":"bob"}', '{"identifier":"ann@example.org"}', '{"x":1}']) {
      expect([await status(query, 'bob'), await status(query, 'eve')], query).to.deep.equal([403, 403]);
    }
  });

  it('lists members to administrators of the project alone, those of the platform’s groups to site administrators', async () => {
    const status = async (id: string, as: string) => (await api.get(`/user_groups/${id}/users`, { as })).status;
    for (const id of [`${open}_3`, `${open}_4`, String(developers)]) {
      const statuses = await Promise.all(['eve', 'bob', 'ann', 'root'].map((as) => status(id, as)));
      expect(statuses, id).to.deep.equal([403, 403, 200, 200]);
    }
    expect(await status('2', 'ann')).to.equal(403);
    expect(await status(`${hidden}_3`, 'ann')).to.equal(403);
    expect(await status('999', 'eve')).to.equal(404);
  });

  it('lists the groups of a project, those that every project shares only when asked', async () => {
    const path = `/projects/${open}/user_groups`;
    const { body } = await api.get(path);
    expect(pageOf(await api.get(path), 'id')).to.deep.equal({
      items: [`${open}_3`, `${open}_4`, String(developers)],
      headers: [100, 0, 3, 1000],
    });
    for (const group of body) {
      expect(Object.keys(group)).to.deep.equal([...NAMED, 'additional_information']);
      expect(group.additional_information).to.deep.equal([]);
      const { project, ...rest } = (await api.get(`/${group.uri}`)).body;
      expect(rest).to.deep.equal(group);
      expect(project.id).to.equal(open);
    }
    const shared = (value: unknown) =>
      `query=${encodeURIComponent(JSON.stringify({ with_system_user_groups: value }))}`;
    for (const yes of [true, 'true', 1, '1']) {
      expect(pageOf(await api.get(`${path}?${shared(yes)}&limit=3`), 'short_name')).to.deep.equal({
        items: ['all_users', 'registered_users', 'project_members'],
        headers: [3, 0, 5, 1000],
      });
    }
    expect((await api.get(`${path}?${shared(false)}`)).body).to.deep.equal(body);
    for (const wrong of ['false', 0, null, 'yes']) {
      const refused = await api.get(`${path}?${shared(wrong)}`);
      expect(refused.status, JSON.stringify(wrong)).to.equal(400);
      expect(refused.body.error.message).to.contain('with_system_user_groups can only be true or false');
    }
    expect(pageOf(await api.get(`${path}?limit=1&offset=2`), 'short_name').items).to.deep.equal(['developers']);
    for (const wrong of ['query={"name":"x"}', 'query=x', 'limit=1001']) {
      expect((await api.get(`${path}?${wrong}`)).status, wrong).to.equal(400);
    }
  });

  it('lists the groups of a project to its readers', async () => {
    expect((await api.get(`/projects/${hidden}/user_groups`, { as: 'ann' })).status).to.equal(403);
    expect(pageOf(await api.get(`/projects/${hidden}/user_groups`, { as: 'root' }), 'id').items).to.have.length(3);
    expect((await api.get('/projects/999/user_groups')).status).to.equal(404);
    expect((await api.get('/projects/x/user_groups')).status).to.equal(400);
    const { body } = await api.get(`/projects/${open}`);
    expect(body.resources).to.deep.include({ type: 'user_groups', uri: `projects/${open}/user_groups` });
  });

  it('takes the id of a project’s own group with the project before it, too', async () => {
    const group = await api.get(`/user_groups/${open}_${developers}`);
    expect(group.status).to.equal(200);
    expect(group.body).to.deep.equal((await api.get(`/user_groups/${developers}`)).body);
    expect(await usersOf(`${open}_${developers}`)).to.deep.equal(['bob']);
  });

  it('knows no other ids, and groups within reach alone', async () => {
    const own = [`${open}_0${developers}`, `0${open}_${developers}`, `${open}_${api.group('plotters')}`];
    for (const id of ['3', '0', '999', `${open}_1`, `${open}_999`, '0_3', `0${developers}`, '999_3', ...own]) {
      expect((await api.get(`/user_groups/${id}`)).status, id).to.equal(404);
    }
    for (const id of ['x', `${open}_${developers}_1`, '9007199254740993', `${open}_9007199254740993`, '1e2', '-1']) {
      expect((await api.get(`/user_groups/${id}`)).status, id).to.equal(400);
    }
    expect((await api.get(`/user_groups/${hidden}_3`)).status).to.equal(403);
    expect((await api.get(`/user_groups/${api.group('plotters')}`)).status).to.equal(403);
    expect((await api.get(`/user_groups/${hidden}_${api.group('plotters')}`)).status).to.equal(403);
  });
});
