import { expect } from 'chai';
import { trackerRoutes } from '../../src/trackers/routes.js';
import { directoryOf, projectOf, trackerOf, userOf } from '../support/definitions.js';
import { readApi, type ReadApi } from '../support/read-api.js';

const member = userOf(115);
const root = userOf(117, { siteAdmin: true });
const directory = directoryOf({
  users: [member, root],
  projects: [
    projectOf({ members: [member.id] }),
    projectOf({ id: 111, access: 'private', members: [member.id] }),
    projectOf({ id: 112, status: 'suspended', members: [member.id] }),
  ],
  trackers: [
    trackerOf([]),
    trackerOf([], { id: 102, deleted: true }),
    trackerOf([], { id: 103, permissions: { access: [3], submit: [3], update: [3] } }),
    trackerOf([], { id: 104, projectId: 111 }),
    trackerOf([], { id: 105, projectId: 112 }),
  ],
});

describe('GET /trackers/:id', () => {
  let api: ReadApi;
  before(async () => {
    api = await readApi(directory, trackerRoutes({ directory }));
  });
  after(() => api.close());

  const status = async (id: number | string, user?: typeof member) => (await api.get(`/trackers/${id}`, user)).status;

  it('tells the structure', async () => {
    const { status: code, body } = await api.get('/trackers/101');
    expect(code).to.equal(200);
    expect(body).to.include({ id: 101, item_name: 'bug' });
  });

  it('knows no tracker that is unknown, deleted or not for the reader', async () => {
    expect(await status(999)).to.equal(404);
    expect(await status(102, root)).to.equal(404);
    expect(await status(103)).to.equal(404);
    expect(await status(103, member)).to.equal(200);
    expect(await status('abc')).to.equal(400);
  });

  it('forbids the trackers of a project out of reach', async () => {
    expect(await status(104)).to.equal(403);
    expect(await status(104, member)).to.equal(200);
    expect(await status(105, member)).to.equal(403);
    expect(await status(105, root)).to.equal(200);
  });
});
