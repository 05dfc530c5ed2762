import { expect } from 'chai';
import { pageOf, platformApi, type PlatformApi } from '../support/platform-api.js';

const forAdmins = { access: ['project_admins'], submit: ['project_admins'], update: ['project_admins'] };

const PLATFORM = {
  users: [
    { username: 'admin' },
    { username: 'member' },
    { username: 'stranger' },
    { username: 'root', site_admin: true },
  ],
  projects: [
    {
      shortname: 'open',
      label: 'The open project',
      admins: ['admin'],
      members: ['member'],
      trackers: [
        {
          item_name: 'bug',
          label: 'Bugs',
          admins: ['member'],
          fields: [{ name: 'title', label: 'Title', type: 'string' }],
        },
        { item_name: 'task', label: 'A list of tasks', fields: [] },
        { item_name: 'plan', label: 'Plans', permissions: forAdmins, fields: [] },
      ],
    },
    { shortname: 'hidden', label: 'Hidden', access: 'private', members: ['member'] },
    { shortname: 'paused', label: 'Paused', status: 'suspended', members: ['member'] },
  ],
};

const query = (value: unknown): string => `query=${encodeURIComponent(JSON.stringify(value))}`;

describe('GET /projects', () => {
  let api: PlatformApi;
  let [open, hidden, paused] = [0, 0, 0];
  before(async () => {
    api = await platformApi(PLATFORM);
    [open, hidden, paused] = [api.project('open'), api.project('hidden'), api.project('paused')];
  });
  after(() => api.stop());

  const ids = async (search: string, as = 'member') => pageOf(await api.get(`/projects?${search}`, { as }), 'id').items;

  it('lists active projects that the reader sees, by id', async () => {
    expect(pageOf(await api.get('/projects', { as: 'member' }), 'id')).to.deep.equal({
      items: [open, hidden],
      headers: [10, 0, 2, 50],
    });
    expect(pageOf(await api.get('/projects/'), 'id').items).to.deep.equal([open]);
    expect(await ids('', 'stranger')).to.deep.equal([open]);
    expect(await ids('query=', 'root')).to.deep.equal([open, hidden]);
  });

  it('gives the pages that are asked for', async () => {
    expect(pageOf(await api.get('/projects?limit=1&offset=1', { as: 'member' }), 'id')).to.deep.equal({
      items: [hidden],
      headers: [1, 1, 2, 50],
    });
    expect(pageOf(await api.get('/projects?limit=0&offset=9', { as: 'member' }), 'id')).to.deep.equal({
      items: [],
      headers: [0, 9, 2, 50],
    });
    for (const wrong of ['limit=51', 'limit=-1', 'limit=x', 'offset=-1']) {
      expect((await api.get(`/projects?${wrong}`)).status, wrong).to.equal(400);
    }
  });

  it('finds by shortname, membership and administration', async () => {
    expect(await ids(query({ shortname: 'hidden' }))).to.deep.equal([hidden]);
    expect(await ids(query({ shortname: 'hidden' }), 'stranger')).to.deep.equal([]);
    expect(await ids(query({ shortname: 'paused' }), 'root')).to.deep.equal([]);
    expect(await ids(query({ is_member_of: true }))).to.deep.equal([open, hidden]);
    expect(await ids(query({ is_member_of: true }), 'root')).to.deep.equal([]);
    expect(await ids(query({ is_admin_of: true }), 'admin')).to.deep.equal([open]);
    expect(await ids(query({ is_admin_of: true }))).to.deep.equal([]);
    expect(await ids(query({ is_tracker_admin: true }))).to.deep.equal([open]);
    expect(await ids(query({ is_tracker_admin: true }), 'stranger')).to.deep.equal([]);
  });

  it('takes a condition that can only be true as clients write it', async () => {
    for (const yes of [true, 'true', 1, '1']) {
      expect(await ids(query({ is_tracker_admin: yes })), JSON.stringify(yes)).to.deep.equal([open]);
      expect(await ids(query({ is_member_of: yes })), JSON.stringify(yes)).to.deep.equal([open, hidden]);
      expect(await ids(query({ is_admin_of: yes }), 'admin'), JSON.stringify(yes)).to.deep.equal([open]);
    }
    for (const wrong of [false, 'false', 0, '0', 2, 'TRUE', ' true', '', null, [true], {}]) {
      for (const member of ['is_tracker_admin', 'is_member_of', 'is_admin_of']) {
        const { status, body } = await api.get(`/projects?${query({ [member]: wrong })}`, { as: 'admin' });
        expect(status, JSON.stringify(wrong)).to.equal(400);
        expect(body.error.message).to.contain(`${member} can only be true`);
      }
    }
  });

  it('lets the first of several conditions count', async () => {
    expect(await ids(query({ is_member_of: true, shortname: 'open' }))).to.deep.equal([open]);
  });

  it('finds by status for site administrators only', async () => {
    expect(await ids(query({ with_status: 'suspended' }), 'root')).to.deep.equal([paused]);
    expect(await ids(query({ with_status: 'deleted' }), 'root')).to.deep.equal([]);
    expect((await api.get(`/projects?${query({ with_status: 'suspended' })}`, { as: 'member' })).status).to.equal(403);
    expect((await api.get(`/projects?${query({ with_status: 'gone' })}`, { as: 'root' })).status).to.equal(400);
  });

  for (const wrong of [{ is_member_of: false }, { is_admin_of: 2 }, { shortname: 7 }, { label: 'x' }, ['x'], 'x', 7]) {
    it(`refuses the query ${JSON.stringify(wrong)}`, async () => {
      expect((await api.get(`/projects?${query(wrong)}`, { as: 'member' })).status).to.equal(400);
    });
  }

  it('refuses a query that is not JSON', async () => {
    expect((await api.get('/projects?query=%7Bx')).status).to.equal(400);
  });

  it('tells a project whole', async () => {
    expect((await api.get(`/projects/${open}`, { as: 'member' })).body).to.deep.equal({
      id: open,
      uri: `projects/${open}`,
      label: 'The open project',
      label_without_icon: 'The open project',
      shortname: 'open',
      status: 'active',
      access: 'public',
      is_template: false,
      resources: ['trackers', 'user_groups'].map((type) => ({ type, uri: `projects/${open}/${type}` })),
      additional_informations: [],
      is_member_of: true,
      description: '',
      additional_fields: [],
      icon: '',
    });
  });

  it('answers for a project that the reader cannot have', async () => {
    expect((await api.get('/projects/999', { as: 'member' })).status).to.equal(404);
    expect((await api.get('/projects/abc', { as: 'member' })).status).to.equal(400);
    expect((await api.get(`/projects/${hidden}`)).status).to.equal(403);
    expect((await api.get(`/projects/${paused}`, { as: 'member' })).status).to.equal(403);
    expect((await api.get(`/projects/${paused}`, { as: 'root' })).status).to.equal(200);
  });

  it('lists the trackers of a project that the reader sees, by label', async () => {
    expect(pageOf(await api.get(`/projects/${open}/trackers`, { as: 'member' }), 'label')).to.deep.equal({
      items: ['A list of tasks', 'Bugs'],
      headers: [10, 0, 2, 50],
    });
    expect(pageOf(await api.get(`/projects/${open}/trackers?limit=1&offset=2`, { as: 'admin' }), 'id')).to.deep.equal({
      items: [api.tracker('plan')],
      headers: [1, 2, 3, 50],
    });
    expect((await api.get(`/projects/${open}/trackers`, { as: 'member' })).body).to.have.nested.property(
      '[1].fields[0].field_id',
      api.field('bug', 'title'),
    );
  });

  it('lists them in their minimal form', async () => {
    const { body } = await api.get(`/projects/${open}/trackers?representation=minimal&limit=1`);
    expect(body).to.have.nested.property('[0].cannot_create_reasons').that.deep.equals([]);
    expect(body).not.to.have.nested.property('[0].fields');
    expect((await api.get(`/projects/${open}/trackers?representation=short`)).status).to.equal(400);
  });

  it('lists those that the reader administers', async () => {
    const path = `/projects/${open}/trackers?${query({ is_tracker_admin: true })}`;
    expect(pageOf(await api.get(path, { as: 'member' }), 'id').items).to.deep.equal([api.tracker('bug')]);
    const wished = `/projects/${open}/trackers?${query({ is_tracker_admin: 'true' })}`;
    expect(pageOf(await api.get(wished, { as: 'member' }), 'id').items).to.deep.equal([api.tracker('bug')]);
    for (const wrong of [false, 'false', 0, null]) {
      const { status, body } = await api.get(`/projects/${open}/trackers?${query({ is_tracker_admin: wrong })}`);
      expect(status, JSON.stringify(wrong)).to.equal(400);
      expect(body.error.message).to.contain('is_tracker_admin can only be true');
    }
    expect((await api.get(`/projects/${open}/trackers?${query({ label: 'x' })}`)).status).to.equal(400);
    expect((await api.get(`/projects/${open}/trackers?query=x`)).status).to.equal(400);
  });

  it('keeps the trackers of a project out of reach to itself', async () => {
    expect((await api.get(`/projects/${hidden}/trackers`)).status).to.equal(403);
    expect((await api.get('/projects/999/trackers')).status).to.equal(404);
  });
});
