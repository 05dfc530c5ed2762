import { expect } from 'chai';
import { platformApi, type Platform, type PlatformApi } from '../support/platform-api.js';

const tracker = (name: string, more: object = {}): object => ({ item_name: name, label: name, fields: [], ...more });
const forMembers = {
  access: ['project_members'],
  submit: ['project_members'],
  update: ['project_members'],
};

const platform = (...ofOpen: readonly object[]): Platform => ({
  users: [{ username: 'member' }, { username: 'root', site_admin: true }],
  projects: [
    { shortname: 'open', label: 'Open', members: ['member'], trackers: ofOpen },
    { shortname: 'hidden', label: 'Hidden', access: 'private', members: ['member'], trackers: [tracker('secret')] },
    { shortname: 'paused', label: 'Paused', status: 'suspended', members: ['member'], trackers: [tracker('ice')] },
  ],
});

describe('GET /trackers/:id', () => {
  let api: PlatformApi;
  let deleted: number;
  before(async () => {
    const title = { name: 'title', label: 'Title', type: 'string' };
    const details = { name: 'details', label: 'Details', type: 'fieldset', fields: [title] };
    const kept = [tracker('bug', { fields: [details] }), tracker('internal', { permissions: forMembers })];
    api = await platformApi(platform(...kept, tracker('gone')));
    deleted = api.tracker('gone');
    expect(await status(deleted)).to.equal(200);
    await api.become(platform(...kept));
  });
  after(() => api.stop());

  const status = async (id: number | string, as?: string) =>
    (await api.get(`/trackers/${id}`, as === undefined ? {} : { as })).status;

  it('tells the structure, with the fieldsets', async () => {
    const id = api.tracker('bug');
    const { status: code, body } = await api.get(`/trackers/${id}`);
    expect(code).to.equal(200);
    expect(body).to.include({ id, item_name: 'bug' });
    expect(body.fields.map(({ name }: { readonly name: string }) => name)).to.deep.equal(['details', 'title']);
  });

  it('knows no tracker that is unknown, deleted or not for the reader', async () => {
    expect(await status(999)).to.equal(404);
    expect(await status(deleted, 'root')).to.equal(404);
    expect(await status(api.tracker('internal'))).to.equal(404);
    expect(await status(api.tracker('internal'), 'member')).to.equal(200);
    expect(await status('abc')).to.equal(400);
  });

  it('forbids the trackers of a project out of reach', async () => {
    expect(await status(api.tracker('secret'))).to.equal(403);
    expect(await status(api.tracker('secret'), 'member')).to.equal(200);
    expect(await status(api.tracker('ice'), 'member')).to.equal(403);
    expect(await status(api.tracker('ice'), 'root')).to.equal(200);
  });
});
