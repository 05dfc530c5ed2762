import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SVN } from '../../src/svn/repository-view.js';
import { svnStream, type SvnEvent, type SvnSettings } from '../../src/svn/repository-events.js';
import { ALL_SETTINGS, COMMIT_RULES, refusal, svnApi, type SvnApi } from './svn-api.js';

describe('PUT /svn/<id>', () => {
  let api: SvnApi;
  let id: number;
  before(async () => {
    api = await svnApi();
    id = await api.created('repo01');
  });
  after(() => api.stop());

  const put = (settings: unknown, { as = 'pam', to = id } = {}) => api.put(`/svn/${to}`, { as, body: { settings } });

  it('replaces all settings and answers the repository whole', async () => {
    const settings = {
      commit_rules: { is_reference_mandatory: false, is_commit_message_change_allowed: true },
      immutable_tags: { paths: ['/tags', '/*/tags/'], whitelist: ['/tags/nightly'] },
      access_file: '[groups]\ndevs = tim\n\n[/]\n@devs = rw\n@members = r\n@Developers = r\n',
      email_notifications: [],
      has_default_permissions: false,
    };
    const { status, body } = await put(settings);
    expect(status).to.equal(200);
    expect(body.settings).to.deep.equal(settings);
    expect((await api.get(`/svn/${id}`, { as: 'pam' })).body).to.deep.equal(body);
    expect(body).to.include({ name: 'repo01', uri: `svn/${id}` });

    const back = await put(ALL_SETTINGS);
    expect(back.body.settings).to.deep.equal({ ...ALL_SETTINGS, has_default_permissions: true });
  });

  it('shows who is told of commits, by path', async () => {
    const [tim, pam] = [api.user('tim'), api.user('pam')];
    const members = `${api.project('hydra')}_3`;
    const { status, body } = await put({
      ...ALL_SETTINGS,
      email_notifications: [
        { path: '/trunk', emails: [], users: [tim, String(pam), tim], user_groups: [members, api.group('developers')] },
        { path: '/branches', emails: ['a@example.org', 'b@lists.example.org'], users: [], user_groups: [] },
      ],
    });
    expect(status).to.equal(200);
    const [first, second] = body.settings.email_notifications;
    expect(first).to.deep.equal({
      user_groups: [],
      users: [],
      emails: ['a@example.org', 'b@lists.example.org'],
      path: '/branches',
    });
    expect(second.users.map((user: { username: string }) => user.username)).to.deep.equal(['tim', 'pam']);
    expect(second.user_groups.map((group: { id: string }) => group.id)).to.deep.equal([
      members,
      String(api.group('developers')),
    ]);
    expect(second.user_groups[0]).to.have.all.keys('id', 'uri', 'label', 'users_uri', 'short_name', 'key');
  });

  it('leaves no event when only the order of the notifications changes', async () => {
    const to = await api.created('quiet');
    const mail = (path: string) => ({ path, emails: ['a@example.org'], users: [], user_groups: [] });
    await put({ ...ALL_SETTINGS, email_notifications: [mail('/a'), mail('/b')] }, { to });
    const again = await put({ ...ALL_SETTINGS, email_notifications: [mail('/b'), mail('/a')] }, { to });
    expect(again.status).to.equal(200);
    expect(again.body.settings.commit_rules).to.deep.equal(COMMIT_RULES);
    expect(await api.eventsOf(to)).to.deep.equal(['SvnRepositoryCreated', 'SvnSettingsReplaced']);
  });

  it('takes back the settings as they are shown, and leaves no event', async () => {
    const to = await api.created('sent-back');
    const [tim, pam] = [api.user('tim'), api.user('pam')];
    const groups = [`${api.project('hydra')}_3`, api.group('developers')];
    const settings = {
      ...ALL_SETTINGS,
      immutable_tags: { paths: ['/tags'], whitelist: ['/tags/nightly'] },
      access_file: '[/]\n@developers = rw\n',
      email_notifications: [
        { path: '/trunk', emails: ['b@example.org', 'a@example.org'], users: [tim, pam], user_groups: groups },
        { path: '/branches', emails: [], users: [pam], user_groups: [] },
      ],
      has_default_permissions: false,
    };
    expect((await put(settings, { to })).status).to.equal(200);
    const { body } = await api.get(`/svn/${to}`, { as: 'pam' });

    const answer = await put(body.settings, { to });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body).to.deep.equal(body);
    expect(await api.eventsOf(to)).to.deep.equal(['SvnRepositoryCreated', 'SvnSettingsReplaced']);

    const changed = { ...body.settings, commit_rules: { ...COMMIT_RULES, is_reference_mandatory: false } };
    expect((await put(changed, { to })).body.settings).to.deep.equal(changed);
  });

  it('takes recipients as objects with an id, and names those without one', async () => {
    const notifying = (users: readonly unknown[], groups: readonly unknown[] = []) =>
      put({ ...ALL_SETTINGS, email_notifications: [{ path: '/', emails: [], users, user_groups: groups }] });
    const shown = await notifying(
      [{ id: String(api.user('tim')) }, api.user('tim')],
      [{ id: api.group('developers') }],
    );
    const [{ users, user_groups: groups }] = shown.body.settings.email_notifications;
    expect(users.map(({ id: user }: { id: number }) => user)).to.deep.equal([api.user('tim')]);
    expect(groups.map(({ id: group }: { id: string }) => group)).to.deep.equal([String(api.group('developers'))]);

    const at = '/settings/email_notifications/0';
    const wrong = await notifying([{}, { id: 'tim' }, { id: null }, ['102'], { id: 999_999 }], [{ id: '101_3_4' }]);
    expect(refusal(wrong)).to.deep.equal({
      status: 400,
      pointers: [`${at}/users/0/id`, `${at}/users/1/id`, `${at}/users/2/id`, `${at}/users/3`, `${at}/user_groups/0/id`],
    });
    expect(refusal(await notifying([{ id: 999_999 }], [{ id: '999_3' }])).pointers).to.deep.equal([
      `${at}/users/0`,
      `${at}/user_groups/0`,
    ]);
  });

  it('needs all settings, and names those that are missing', async () => {
    const all = ['commit_rules', 'immutable_tags', 'access_file', 'email_notifications'];
    const pointers = all.map((name) => `/settings/${name}`);
    expect(refusal(await put({}))).to.deep.equal({ status: 400, pointers });
    for (const name of all) {
      const rest = Object.entries(ALL_SETTINGS).filter(([other]) => other !== name);
      expect(refusal(await put(Object.fromEntries(rest)))).to.deep.equal({
        status: 400,
        pointers: [`/settings/${name}`],
      });
      expect(refusal(await put({ ...ALL_SETTINGS, [name]: null })).pointers, name).to.include(`/settings/${name}`);
    }
    expect(refusal(await api.put(`/svn/${id}`, { as: 'pam', body: {} })).pointers).to.deep.equal(['/settings']);
  });

  it('names everything that is wrong at once', async () => {
    const settings = {
      commit_rules: COMMIT_RULES,
      immutable_tags: { paths: ['/tags', 'tags'], whitelist: ['/a/../b'] },
      access_file: '[/]\n* = all\n@nobody = r',
      email_notifications: [{ path: '/', emails: ['nobody'], users: [999_999], user_groups: ['999_3'] }],
    };
    const answer = await put(settings);
    expect(refusal(answer)).to.deep.equal({
      status: 400,
      pointers: [
        '/settings/immutable_tags/paths/1',
        '/settings/immutable_tags/whitelist/0',
        '/settings/access_file',
        '/settings/access_file',
        '/settings/email_notifications/0/emails/0',
        '/settings/email_notifications/0/users/0',
        '/settings/email_notifications/0/user_groups/0',
      ],
    });
    expect(JSON.stringify(answer.body)).to.contain('line 2 ').and.contain('line 3 ');
  });

  /** As an earlier release took them. */
  const stored = async (to: number, changes: Partial<SvnSettings>): Promise<void> => {
    const { log, readModels, clock } = api.service;
    const { events, revision } = await log.read<SvnEvent>(svnStream(to));
    const { settings } = events.find((event) => event.type === 'SvnRepositoryCreated')!.data;
    const data = { repositoryId: to, settings: { ...settings, ...changes } };
    const event = { type: 'SvnSettingsReplaced', data, id: randomUUID() };
    const metadata = { actor: null, at: clock().toISOString(), schema: 1, commandId: randomUUID() };
    const { position } = await log.append(svnStream(to), revision, [event], metadata);
    expect(await readModels.caughtUp(SVN, position, 30_000)).to.equal(true);
  };

  it('takes back an access file as it is stored, though it could not be stored today', async () => {
    const to = await api.created('old');
    const accessFile = '[/a/]\n* = r\n[/a/]\n@gone = rw\n';
    await stored(to, { accessFile });
    const { settings } = (await api.get(`/svn/${to}`, { as: 'pam' })).body;
    expect(settings.access_file).to.equal(accessFile);

    const answer = await put({ ...settings, commit_rules: COMMIT_RULES }, { to });
    expect(answer.status).to.equal(200);
    expect(answer.body.settings).to.deep.equal({ ...settings, commit_rules: COMMIT_RULES });

    const changed = await put({ ...settings, access_file: `${accessFile}# more` }, { to });
    const pointers = Array<string>(3).fill('/settings/access_file');
    expect(refusal(changed)).to.deep.equal({ status: 400, pointers });
    expect((await put(ALL_SETTINGS, { to })).status).to.equal(200);
    expect((await put(settings, { to })).status).to.equal(400);
  });

  it('is for administrators, who is asked before the settings are judged', async () => {
    const wrong = { ...ALL_SETTINGS, access_file: 'nonsense' };
    expect((await put(wrong, { as: 'tim' })).status).to.equal(403);
    expect((await put(wrong, { as: 'eve' })).status).to.equal(403);
    expect((await put(wrong)).status).to.equal(400);
    expect((await put({}, { as: 'tim' })).status).to.equal(400);
    expect((await put(ALL_SETTINGS, { as: 'root' })).status).to.equal(200);
    expect((await api.put(`/svn/${id}`, { body: { settings: {} } })).status).to.equal(401);
  });

  it('answers for a repository that is not there or out of reach', async () => {
    const body = { project_id: api.project('closed'), name: 'secret' };
    const secret = (await api.post('/svn', { as: 'max', body })).body.id as number;
    expect((await put(ALL_SETTINGS, { to: 999_999 })).status).to.equal(404);
    expect((await put(ALL_SETTINGS, { to: secret })).status).to.equal(403);
    expect((await put(ALL_SETTINGS, { to: secret, as: 'max' })).status).to.equal(200);
  });

  it('lets every one of many writers succeed', async () => {
    const to = await api.created('busy');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => put({ ...ALL_SETTINGS, access_file: `# ${index}` }, { to })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array<number>(20).fill(200));
    expect(await api.eventsOf(to)).to.have.length(21);
  });
});

describe('DELETE /svn/<id>', () => {
  let api: SvnApi;
  before(async () => {
    api = await svnApi();
  });
  after(() => api.stop());

  it('takes the repository away and frees its name', async () => {
    const id = await api.created('repo01');
    const { status, body } = await api.remove(id);
    expect(status).to.equal(202);
    expect(body).to.equal(undefined);
    expect((await api.get(`/svn/${id}`, { as: 'pam' })).status).to.equal(404);
    expect((await api.put(`/svn/${id}`, { as: 'pam', body: { settings: ALL_SETTINGS } })).status).to.equal(404);
    expect((await api.remove(id)).status).to.equal(404);
    expect((await api.get(`/projects/${api.project('hydra')}/svn`)).body).to.deep.equal({ repositories: [] });

    const next = await api.created('repo01');
    expect(next).to.be.above(id);
    expect((await api.get(`/projects/${api.project('hydra')}/svn`)).body.repositories[0].id).to.equal(next);
  });

  it('is for administrators', async () => {
    const id = await api.created('kept');
    expect((await api.remove(id, 'tim')).status).to.equal(403);
    expect((await api.request('DELETE', `/svn/${id}`)).status).to.equal(401);
    expect((await api.remove(999_999)).status).to.equal(404);
    expect((await api.remove(id, 'root')).status).to.equal(202);
  });

  it('is done once, however many ask at the same time', async () => {
    const id = await api.created('wanted-gone');
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await api.remove(id)).status));
    expect(statuses.sort()).to.deep.equal([202, 404, 404, 404, 404]);
    expect(await api.eventsOf(id)).to.deep.equal(['SvnRepositoryCreated', 'SvnRepositoryDeleted']);
  });
});

describe('svn in a project that no longer uses it', () => {
  let api: SvnApi;
  before(async () => {
    api = await svnApi();
  });
  after(() => api.stop());

  const uses = (svn: boolean) => {
    const text = `users: []\nprojects:\n  - { shortname: hydra, label: Hydra, svn: ${svn}, admins: [pam] }`;
    return api.operate('apply', { text, prune: false, env: {} });
  };

  it('has no repositories, in its list and by their ids, until the project uses it again', async () => {
    const id = await api.created('repo01');
    const body = { settings: ALL_SETTINGS };
    const list = async (): Promise<unknown> => (await api.get(`/projects/${api.project('hydra')}/svn`)).body;
    const [before, listed] = [(await api.get(`/svn/${id}`, { as: 'pam' })).body, await list()];
    await uses(false);
    expect(await list()).to.deep.equal({ repositories: [] });
    for (const as of ['pam', 'tim', 'root']) {
      expect((await api.get(`/svn/${id}`, { as })).status, as).to.equal(404);
      expect((await api.put(`/svn/${id}`, { as, body })).status, as).to.equal(404);
      expect((await api.remove(id, as)).status, as).to.equal(404);
    }
    expect((await api.get(`/svn/${id}`)).status).to.equal(404);
    expect((await api.create('repo02')).status).to.equal(400);

    await uses(true);
    expect(await list()).to.deep.equal(listed);
    expect((await api.get(`/svn/${id}`, { as: 'pam' })).body).to.deep.equal(before);
    expect((await api.create('repo01')).status).to.equal(409);
    expect((await api.remove(id)).status).to.equal(202);
  });
});

describe('svn in a project that is suspended later', () => {
  let api: SvnApi;
  before(async () => {
    api = await svnApi();
  });
  after(() => api.stop());

  it('is refused for every user', async () => {
    const id = await api.created('repo01');
    const text =
      'users: []\nprojects:\n  - { shortname: hydra, label: Hydra, status: suspended, svn: true, admins: [pam] }';
    await api.operate('apply', { text, prune: false, env: {} });
    for (const as of ['pam', 'root']) {
      expect((await api.put(`/svn/${id}`, { as, body: { settings: ALL_SETTINGS } })).status, as).to.equal(403);
      expect((await api.remove(id, as)).status, as).to.equal(403);
      expect((await api.post('/svn', { as, body: { project_id: api.project('hydra'), name: 'abc' } })).status).to.equal(
        403,
      );
    }
    expect((await api.get(`/svn/${id}`, { as: 'pam' })).status).to.equal(403);
    expect((await api.get(`/svn/${id}`, { as: 'root' })).status).to.equal(200);
  });
});
