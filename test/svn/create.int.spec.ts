import { expect } from 'chai';
import { ALL_SETTINGS, COMMIT_RULES, refusal, svnApi, type SvnApi } from './svn-api.js';

describe('POST /svn', () => {
  let api: SvnApi;
  before(async () => {
    api = await svnApi();
  });
  after(() => api.stop());

  it('creates a repository, answers it whole and says where it is', async () => {
    const { status, headers, body } = await api.create('repo01', { settings: { commit_rules: COMMIT_RULES } });
    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(`${api.url}/api/svn/${body.id}`);
    const id = api.project('hydra');
    expect(body).to.deep.equal({
      id: body.id,
      project: {
        id,
        uri: `projects/${id}`,
        label: 'Hydra',
        label_without_icon: 'Hydra',
        shortname: 'hydra',
        status: 'active',
        access: 'public',
        is_template: false,
      },
      uri: `svn/${body.id}`,
      name: 'repo01',
      svn_url: `${api.url}/svnplugin/hydra/repo01`,
      settings: { ...ALL_SETTINGS, commit_rules: COMMIT_RULES, has_default_permissions: true },
    });
    expect(await api.eventsOf(body.id)).to.deep.equal(['SvnRepositoryCreated']);
    expect((await api.get(`/svn/${body.id}`, { as: 'pam' })).body).to.deep.equal(body);
  });

  it('starts without rules where none are given', async () => {
    const rules = { is_reference_mandatory: false, is_commit_message_change_allowed: false };
    const expected = { ...ALL_SETTINGS, commit_rules: rules, has_default_permissions: true };
    expect((await api.create('bare')).body.settings).to.deep.equal(expected);
    expect((await api.create('empty', { settings: {} })).body.settings).to.deep.equal(expected);
    expect((await api.create('none', { settings: null })).body.settings).to.deep.equal(expected);
    const nothing = Object.fromEntries(Object.keys({ ...expected, layout: [] }).map((name) => [name, null]));
    expect((await api.create('nothing', { settings: nothing })).body.settings).to.deep.equal(expected);
    const laid = { layout: ['/trunk', '/tags'], has_default_permissions: false };
    expect((await api.create('laid-out', { settings: laid })).body.settings).to.deep.equal({
      ...expected,
      has_default_permissions: false,
    });
  });

  it('is for administrators of the project and of the site', async () => {
    const asks = async (as?: string) =>
      (await api.post('/svn', { ...(as && { as }), body: { project_id: api.project('hydra'), name: `by-${as}` } }))
        .status;
    expect(await asks('pam')).to.equal(201);
    expect(await asks('root')).to.equal(201);
    expect(await asks('tim')).to.equal(403);
    expect(await asks('eve')).to.equal(403);
    expect(await asks()).to.equal(401);
  });

  it('goes into a project that is there, in reach, active and with svn', async () => {
    const into = async (projectId: unknown, as = 'pam') =>
      refusal(await api.post('/svn', { as, body: { project_id: projectId, name: 'repo02' } }));
    const unknown = { status: 400, pointers: ['/project_id'] };
    expect(await into(999_999)).to.deep.equal(unknown);
    expect(await into(api.project('plain'))).to.deep.equal(unknown);
    expect(await into('hydra')).to.deep.equal(unknown);
    expect(await into(api.project('closed'))).to.deep.equal(unknown);
    expect((await into(api.project('frozen'))).status).to.equal(403);
    expect((await into(api.project('frozen'), 'root')).status).to.equal(403);
  });

  for (const name of ['', 'ab', '1abc', '_abc', 'a b c', 'abc/def', 'åbc', 'abc\n', `a${'b'.repeat(255)}`]) {
    it(`knows the name ${JSON.stringify(name.slice(0, 10))} for none: 409`, async () => {
      expect((await api.create(name)).status).to.equal(409);
    });
  }

  it('takes every name of 3 to 255 characters that it says it takes', async () => {
    for (const name of ['abc', 'A-_.', 'x.9', `a${'b'.repeat(254)}`, 'constructor', '__proto__'.slice(2)]) {
      expect((await api.create(name)).status, name).to.equal(201);
    }
  });

  it('has a name once in a project', async () => {
    await api.created('unique');
    expect((await api.create('unique')).status).to.equal(409);
    expect((await api.create('unique', { project_id: String(api.project('other')) })).status).to.equal(201);
    expect((await api.create('unique', { project_id: api.project('other') })).status).to.equal(409);
    expect((await api.create('Unique')).status).to.equal(201);
  });

  it('names the members that are missing or of the wrong type', async () => {
    const post = async (body: unknown) => refusal(await api.post('/svn', { as: 'pam', body }));
    expect(await post({})).to.deep.equal({ status: 400, pointers: ['/project_id', '/name'] });
    const settings = {
      commit_rules: { is_reference_mandatory: 'yes' },
      immutable_tags: { paths: [1] },
      access_file: 7,
      email_notifications: [{ path: '/', emails: [], users: ['bob'] }],
      layout: '/trunk',
    };
    const { status, pointers } = await post({ project_id: api.project('hydra'), name: 7, settings });
    expect(status).to.equal(400);
    expect(pointers).to.have.members([
      '/name',
      '/settings/commit_rules/is_reference_mandatory',
      '/settings/commit_rules/is_commit_message_change_allowed',
      '/settings/immutable_tags/paths/0',
      '/settings/immutable_tags/whitelist',
      '/settings/access_file',
      '/settings/email_notifications/0/users/0',
      '/settings/email_notifications/0/user_groups',
      '/settings/layout',
    ]);
  });

  it('looks at the project, then at who asks, then at the settings, and at the name last', async () => {
    const settings = { access_file: 'nonsense' };
    const post = async (as: string, name: string, projectId: number) =>
      (await api.post('/svn', { as, body: { project_id: projectId, name, settings } })).status;
    expect(await post('tim', '1', api.project('hydra'))).to.equal(403);
    expect(await post('pam', '1', api.project('hydra'))).to.equal(400);
    expect(await post('tim', '1', api.project('frozen'))).to.equal(403);
    expect(
      (await api.post('/svn', { as: 'tim', body: { project_id: api.project('hydra'), name: '1' } })).status,
    ).to.equal(403);
  });

  it('leaves nothing behind when it is refused', async () => {
    const count = async () => (await api.get(`/projects/${api.project('hydra')}/svn`)).headers.get('x-pagination-size');
    const before = await count();
    await api.create('not-yet', { settings: { access_file: 'nonsense' } });
    await api.create('1');
    expect(await count()).to.equal(before);
    expect((await api.create('not-yet')).status).to.equal(201);
  });
});
