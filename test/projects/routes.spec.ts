import { expect } from 'chai';
import { projectRoutes } from '../../src/projects/routes.js';
import { directoryOf, fieldOf, projectOf, trackerOf, userOf } from '../support/definitions.js';
import { pageOf, readApi, type ReadApi } from '../support/read-api.js';

const admin = userOf(114);
const member = userOf(115);
const stranger = userOf(116);
const root = userOf(117, { siteAdmin: true });

const open = projectOf({ id: 110, shortname: 'open', admins: [admin.id], members: [member.id] });
const hidden = projectOf({ id: 111, shortname: 'hidden', access: 'private', members: [member.id] });
const paused = projectOf({ id: 112, shortname: 'paused', status: 'suspended', members: [member.id] });
const bugs = trackerOf([fieldOf(501, 'string')], {
  id: 101,
  label: 'Bugs',
  admins: { users: [member.id], groups: [] },
});
const tasks = trackerOf([], { id: 102, label: 'A list of tasks' });
const plans = trackerOf([], {
  id: 103,
  label: 'Plans',
  permissions: { access: [4], submit: [4], update: [4] },
});

const directory = directoryOf({
  users: [admin, member, stranger, root],
  projects: [paused, hidden, open],
  trackers: [bugs, tasks, plans],
});

const query = (value: unknown): string => `query=${encodeURIComponent(JSON.stringify(value))}`;

describe('GET /projects', () => {
  let api: ReadApi;
  before(async () => {
    api = await readApi(directory, projectRoutes({ directory }));
  });
  after(() => api.close());

  const ids = async (search: string, user = member) => pageOf(await api.get(`/projects?${search}`, user), 'id').items;

  it('lists active projects that the reader sees, by id', async () => {
    expect(pageOf(await api.get('/projects', member), 'id')).to.deep.equal({
      items: [110, 111],
      headers: [10, 0, 2, 50],
    });
    expect(pageOf(await api.get('/projects/'), 'id').items).to.deep.equal([110]);
    expect(await ids('', stranger)).to.deep.equal([110]);
    expect(await ids('query=', root)).to.deep.equal([110, 111]);
  });

  it('gives the pages that are asked for', async () => {
    expect(pageOf(await api.get('/projects?limit=1&offset=1', member), 'id')).to.deep.equal({
      items: [111],
      headers: [1, 1, 2, 50],
    });
    expect(pageOf(await api.get('/projects?limit=0&offset=9', member), 'id')).to.deep.equal({
      items: [],
      headers: [0, 9, 2, 50],
    });
    for (const wrong of ['limit=51', 'limit=-1', 'limit=x', 'offset=-1']) {
      expect((await api.get(`/projects?${wrong}`)).status, wrong).to.equal(400);
    }
  });

  it('finds by shortname, membership and administration', async () => {
    expect(await ids(query({ shortname: 'hidden' }))).to.deep.equal([111]);
    expect(await ids(query({ shortname: 'hidden' }), stranger)).to.deep.equal([]);
    expect(await ids(query({ shortname: 'paused' }), root)).to.deep.equal([]);
    expect(await ids(query({ is_member_of: true }))).to.deep.equal([110, 111]);
    expect(await ids(query({ is_member_of: true }), root)).to.deep.equal([]);
    expect(await ids(query({ is_admin_of: true }), admin)).to.deep.equal([110]);
    expect(await ids(query({ is_admin_of: true }))).to.deep.equal([]);
    expect(await ids(query({ is_tracker_admin: true }))).to.deep.equal([110]);
    expect(await ids(query({ is_tracker_admin: true }), stranger)).to.deep.equal([]);
  });

  it('lets the first of several conditions count', async () => {
    expect(await ids(query({ is_member_of: true, shortname: 'open' }))).to.deep.equal([110]);
  });

  it('finds by status for site administrators only', async () => {
    expect(await ids(query({ with_status: 'suspended' }), root)).to.deep.equal([112]);
    expect(await ids(query({ with_status: 'deleted' }), root)).to.deep.equal([]);
    expect((await api.get(`/projects?${query({ with_status: 'suspended' })}`, member)).status).to.equal(403);
    expect((await api.get(`/projects?${query({ with_status: 'gone' })}`, root)).status).to.equal(400);
  });

  for (const wrong of [{ is_member_of: false }, { is_admin_of: 1 }, { shortname: 7 }, { label: 'x' }, ['x'], 'x', 7]) {
    it(`refuses the query ${JSON.stringify(wrong)}`, async () => {
      expect((await api.get(`/projects?${query(wrong)}`, member)).status).to.equal(400);
    });
  }

  it('refuses a query that is not JSON', async () => {
    expect((await api.get('/projects?query=%7Bx')).status).to.equal(400);
  });

  it('tells a project whole', async () => {
    expect((await api.get('/projects/110', member)).body).to.deep.equal({
      id: 110,
      uri: 'projects/110',
      label: 'Project 110',
      label_without_icon: 'Project 110',
      shortname: 'open',
      status: 'active',
      access: 'public',
      is_template: false,
      resources: [{ type: 'trackers', uri: 'projects/110/trackers' }],
      additional_informations: [],
      is_member_of: true,
      description: '',
      additional_fields: [],
      icon: '',
    });
  });

  it('answers for a project that the reader cannot have', async () => {
    expect((await api.get('/projects/999', member)).status).to.equal(404);
    expect((await api.get('/projects/abc', member)).status).to.equal(400);
    expect((await api.get('/projects/111')).status).to.equal(403);
    expect((await api.get('/projects/112', member)).status).to.equal(403);
    expect((await api.get('/projects/112', root)).status).to.equal(200);
  });

  it('lists the trackers of a project that the reader sees, by label', async () => {
    expect(pageOf(await api.get('/projects/110/trackers', member), 'label')).to.deep.equal({
      items: ['A list of tasks', 'Bugs'],
      headers: [10, 0, 2, 50],
    });
    expect(pageOf(await api.get('/projects/110/trackers?limit=1&offset=2', admin), 'id')).to.deep.equal({
      items: [103],
      headers: [1, 2, 3, 50],
    });
    expect((await api.get('/projects/110/trackers', member)).body).to.have.nested.property(
      '[1].fields[0].field_id',
      501,
    );
  });

  it('lists them in their minimal form', async () => {
    const { body } = await api.get('/projects/110/trackers?representation=minimal&limit=1');
    expect(body).to.have.nested.property('[0].cannot_create_reasons', null);
    expect(body).not.to.have.nested.property('[0].fields');
    expect((await api.get('/projects/110/trackers?representation=short')).status).to.equal(400);
  });

  it('lists those that the reader administers', async () => {
    const path = `/projects/110/trackers?${query({ is_tracker_admin: true })}`;
    expect(pageOf(await api.get(path, member), 'id').items).to.deep.equal([101]);
    expect((await api.get(`/projects/110/trackers?${query({ is_tracker_admin: false })}`)).status).to.equal(400);
    expect((await api.get(`/projects/110/trackers?${query({ label: 'x' })}`)).status).to.equal(400);
    expect((await api.get('/projects/110/trackers?query=x')).status).to.equal(400);
  });

  it('keeps the trackers of a project out of reach to itself', async () => {
    expect((await api.get('/projects/111/trackers')).status).to.equal(403);
    expect((await api.get('/projects/999/trackers')).status).to.equal(404);
  });
});
