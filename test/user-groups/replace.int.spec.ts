import { expect } from 'chai';
import { viewer } from '../../src/authorization/viewer.js';
import { projectStream, type ProjectEvent } from '../../src/projects/project-events.js';
import { PROJECTS } from '../../src/projects/project-view.js';
import { replaceMembers } from '../../src/user-groups/commands.js';
import { refusal } from '../artifacts/artifact-api.js';
import { pageOf, platformApi, type PlatformApi } from '../support/platform-api.js';

const PLATFORM = {
  users: [
    { username: 'ann' },
    { username: 'bob' },
    { username: 'eve' },
    { username: 'sue', status: 'suspended' },
    { username: 'tim', email: 'same@example.org' },
    { username: 'tom', email: 'same@example.org' },
    { username: 'max' },
    { username: 'root', site_admin: true },
  ],
  projects: [
    {
      shortname: 'open',
      label: 'Open',
      access: 'private',
      admins: ['ann'],
      members: ['bob'],
      user_groups: [
        { short_name: 'developers', label: 'Developers', members: ['bob'] },
        { short_name: 'testers', label: 'Testers', members: ['bob', 'sue'] },
      ],
      trackers: [
        {
          ...{ item_name: 'bug', label: 'Bugs', fields: [{ name: 'title', label: 'Title', type: 'string' }] },
          permissions: { access: ['developers'] },
        },
      ],
    },
    {
      shortname: 'shown',
      label: 'Shown',
      admins: ['ann'],
      members: ['bob'],
      user_groups: [{ short_name: 'guests', label: 'Guests', members: ['bob', 'tim'] }],
    },
    { shortname: 'other', label: 'Other', access: 'private', admins: ['max'] },
    { shortname: 'paused', label: 'Paused', status: 'suspended', admins: ['ann'] },
  ],
} as const;

describe('PUT /user_groups/<id>/users', () => {
  let api: PlatformApi;
  let [open, shown, other, paused, developers] = [0, 0, 0, 0, 0];
  before(async () => {
    api = await platformApi(PLATFORM);
    [open, shown, other, paused] = [
      api.project('open'),
      api.project('shown'),
      api.project('other'),
      api.project('paused'),
    ];
    developers = api.group('developers');
  });
  after(() => api.stop());
  beforeEach(() => api.become(PLATFORM));

  const put = (group: number | string, body: unknown, as = 'ann') =>
    api.put(`/user_groups/${group}/users`, { as, body });
  const replaced = async (group: number | string, body: unknown): Promise<void> => {
    const answer = await put(group, body);
    expect([answer.status, answer.body], JSON.stringify(answer.body)).to.deep.equal([200, undefined]);
  };
  const membersOf = async (group: number | string) =>
    pageOf(await api.get(`/user_groups/${group}/users`, { as: 'root' }), 'username').items;
  const eventsOf = async (project = open) => (await api.service.log.read<ProjectEvent>(projectStream(project))).events;
  const named = (...usernames: readonly string[]) => usernames.map((username) => ({ username }));
  const ids = (...usernames: readonly string[]) => usernames.map((username) => ({ id: api.user(username) }));

  it('replaces the members of a group of a project, named by id, username or email', async () => {
    await replaced(developers, ids('eve', 'ann'));
    expect(await membersOf(developers)).to.deep.equal(['ann', 'eve']);
    await replaced(developers, [{ id: String(api.user('bob')) }]);
    expect(await membersOf(developers)).to.deep.equal(['bob']);
    await replaced(developers, named('EVE', 'bob'));
    expect(await membersOf(developers)).to.deep.equal(['bob', 'eve']);
    await replaced(developers, [{ email: 'Max@Example.org' }, { email: 'eve@example.org' }]);
    expect(await membersOf(developers)).to.deep.equal(['eve', 'max']);
    await replaced(`${open}_${developers}`, named('max'));
    expect(await membersOf(developers)).to.deep.equal(['max']);
    await replaced(developers, { user_references: named('ann', 'tom') });
    expect(await membersOf(developers)).to.deep.equal(['ann', 'tom']);
    await replaced(developers, []);
    expect(await membersOf(developers)).to.deep.equal([]);
  });

  it('passes over members of a reference that are null or name no user', async () => {
    const [bob, eve] = [api.user('bob'), api.user('eve')];
    await replaced(developers, [{ id: eve, username: null, email: null, ldap_id: null }]);
    expect(await membersOf(developers)).to.deep.equal(['eve']);
    await replaced(developers, [
      { id: bob, real_name: 'Bob' },
      { id: eve, username: null },
    ]);
    expect(await membersOf(developers)).to.deep.equal(['bob', 'eve']);
    await replaced(developers, { user_references: [{ id: null, username: 'eve', avatar_url: null }] });
    expect(await membersOf(developers)).to.deep.equal(['eve']);
  });

  it('leaves the rest of the project unchanged, and records the author', async () => {
    const before = await eventsOf();
    await replaced(developers, [...ids('eve'), ...ids('eve')]);
    const events = (await eventsOf()).slice(before.length);
    const [admins, members] = [[api.user('ann')], [api.user('bob'), api.user('eve')]];
    const group = (shortName: string, label: string, ...users: readonly string[]) => {
      return { id: api.group(shortName), shortName, label, members: users.map((each) => api.user(each)) };
    };
    const groups = [group('developers', 'Developers', 'eve'), group('testers', 'Testers', 'bob', 'sue')];
    expect(events.map(({ type, data }) => ({ type, data }))).to.deep.equal([
      { type: 'ProjectMembersChanged', data: { projectId: open, admins, members, groups } },
    ]);
    expect(events[0]?.metadata.actor).to.equal(api.user('ann'));
  });

  it('gives and takes rights at once', async () => {
    const status = async () => (await api.get(`/trackers/${api.tracker('bug')}`, { as: 'eve' })).status;
    expect(await status()).to.equal(403);
    await replaced(`${open}_3`, named('eve'));
    expect(await status()).to.equal(404);
    await replaced(developers, named('eve'));
    expect(await status()).to.equal(200);
    await replaced(developers, named('bob'));
    expect(await status()).to.equal(404);
    await replaced(`${open}_3`, []);
    expect(await status()).to.equal(403);
  });

  it('lets users who join a group of a private project into the project, and takes both from those who leave it', async () => {
    const status = async () => (await api.get(`/trackers/${api.tracker('bug')}`, { as: 'eve' })).status;
    expect(await status()).to.equal(403);
    await replaced(developers, named('ann', 'bob', 'eve'));
    expect(await status()).to.equal(200);
    expect(await membersOf(`${open}_3`)).to.deep.equal(['ann', 'bob', 'eve']);
    await replaced(`${open}_3`, named('bob'));
    expect(await status()).to.equal(403);
    expect(await membersOf(developers)).to.deep.equal(['ann', 'bob']);
    await replaced(`${open}_3`, named('bob', 'eve'));
    expect(await status()).to.equal(404);
  });

  it('makes no suspended user a member of a private project', async () => {
    await replaced(developers, named('bob', 'sue', 'eve'));
    const members = [api.user('bob'), api.user('eve')];
    expect((await eventsOf()).at(-1)?.data).to.deep.include({ members });
  });

  it('makes no member of a group a member of a public project, and takes the groups from those who leave it', async () => {
    const guests = api.group('guests');
    await replaced(guests, named('eve', 'bob', 'tim'));
    expect(await membersOf(`${shown}_3`)).to.deep.equal(['ann', 'bob']);
    await replaced(`${shown}_3`, []);
    expect(await membersOf(guests)).to.deep.equal(['eve', 'tim']);
  });

  it('replaces the members of a project, whose administrators stay members', async () => {
    await replaced(`${open}_3`, named('eve', 'sue'));
    expect(await membersOf(`${open}_3`)).to.deep.equal(['ann', 'eve']);
    await replaced(`${open}_3`, []);
    expect(await membersOf(`${open}_3`)).to.deep.equal(['ann']);
    expect(await membersOf(`${open}_4`)).to.deep.equal(['ann']);
  });

  it('writes nothing where nothing changes', async () => {
    await replaced(developers, named('eve', 'bob'));
    const before = await eventsOf();
    await replaced(developers, ids('bob', 'eve'));
    expect(await eventsOf()).to.deep.equal(before);
  });

  it('waits for the last change of the project to be shown, also if nothing changes', async () => {
    const { service } = api;
    const awaited: unknown[] = [];
    const caughtUp = (...asked: readonly unknown[]): Promise<boolean> => {
      awaited.push(asked);
      return Promise.resolve(true);
    };
    const caller = { viewer: viewer(service.definitions, service.definitions.userNamed('ann')!), requestId: 'again' };
    await replaceMembers(String(developers), ids('bob'), { ...service, readModels: { caughtUp } }, caller);
    expect(awaited).to.deep.equal([[PROJECTS, (await eventsOf()).at(-1)?.position]]);
  });

  it('holds for two groups that are changed at the same time', async () => {
    await Promise.all([
      replaced(developers, named('eve')),
      replaced(api.group('testers'), named('max')),
      replaced(`${open}_3`, named('eve', 'max', 'tim')),
    ]);
    expect(await Promise.all([developers, api.group('testers'), `${open}_3`].map(membersOf))).to.deep.equal([
      ['eve'],
      ['max'],
      ['ann', 'eve', 'max', 'tim'],
    ]);
  });

  it('changes nothing if one of the users is unknown, or not named as the first is', async () => {
    const before = await eventsOf();
    const bob = api.user('bob');
    const wrong: readonly (readonly [unknown, readonly string[]])[] = [
      [[{ id: bob }, { id: 999_999 }], ['/1/id']],
      [
        [{ username: 'nobody' }, { username: 'eve' }, { username: 'none' }],
        ['/0/username', '/2/username'],
      ],
      [[{ email: 'eve@example.org' }, { email: 'nobody@example.org' }], ['/1/email']],
      [[{ email: 'same@example.org' }], ['/0/email']],
      [[{ id: bob }, { username: 'eve' }], ['/1']],
      [[{ id: bob, username: 'bob' }], ['/0']],
      [[{ id: bob }, { id: bob, username: 'eve' }], ['/1']],
      [[{ id: bob }, { id: null, username: 'eve' }], ['/1']],
      [[{}], ['/0']],
      [[{ id: null, username: null, email: null }], ['/0']],
      [[{ ldap_id: 'bob' }], ['/0']],
      [[{ id: 'bob' }], ['/0/id']],
      [['bob'], ['/0']],
      [{ username: 'bob' }, ['/user_references', '/username']],
      [{ user_references: { username: 'bob' } }, ['/user_references']],
      [{ user_references: [{ id: bob }, { id: 999_999 }] }, ['/user_references/1/id']],
      [{ user_references: [{ id: bob }, { username: 'eve' }] }, ['/user_references/1']],
      [{ user_references: [{}] }, ['/user_references/0']],
      [{ user_references: [], group: 'developers' }, ['/group']],
      [undefined, ['/user_references']],
    ];
    for (const [body, pointers] of wrong) {
      expect(refusal(await put(developers, body)), JSON.stringify(body)).to.deep.equal({ status: 400, pointers });
    }
    const { message } = (await put(developers, [{ email: 'same@example.org' }])).body.error;
    expect(message).to.equal('Bad Request: Some references name no user, or several; no member was replaced');
    expect(await eventsOf()).to.deep.equal(before);
  });

  it('is told that its body may be an array, too, if the body is neither', async () => {
    for (const body of ['null', '7']) {
      const { status, body: told } = await put(developers, body);
      const message = 'Bad Request: the body must be an object or an array';
      expect([status, told.error.message], body).to.deep.equal([400, message]);
    }
  });

  it('is for administrators of the project, and for groups whose members are a list', async () => {
    const before = [await eventsOf(), await eventsOf(other), await eventsOf(paused)];
    const status = async (group: number | string, as: string) => (await put(group, named('eve'), as)).status;
    for (const group of [developers, `${open}_3`, `${open}_4`]) {
      expect(await Promise.all(['bob', 'max', 'eve'].map((as) => status(group, as)))).to.deep.equal([403, 403, 403]);
    }
    expect(await status(`${open}_4`, 'ann')).to.equal(400);
    expect([await status('1', 'ann'), await status('2', 'root')]).to.deep.equal([403, 400]);
    expect([await status(`${other}_3`, 'ann'), await status('999', 'ann')]).to.deep.equal([403, 404]);
    expect(await status(`${other}_${developers}`, 'root')).to.equal(404);
    expect([await status(`${paused}_3`, 'ann'), await status(`${paused}_3`, 'root')]).to.deep.equal([403, 403]);
    expect((await api.put(`/user_groups/${developers}/users`, { body: named('eve') })).status).to.equal(401);
    expect([await eventsOf(), await eventsOf(other), await eventsOf(paused)]).to.deep.equal(before);
    expect(await status(developers, 'root')).to.equal(200);
  });
});
