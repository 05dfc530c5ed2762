import { expect } from 'chai';
import { artifactApi, elementsOf, refusal, type ArtifactApi, type Json } from './artifact-api.js';

const user = (username: string, more = {}) => ({
  username,
  real_name: username,
  email: `${username}@example.org`,
  password: `${username}'s password`,
  ...more,
});

const platformOf = (fields: readonly object[]): string =>
  JSON.stringify({
    users: [user('alice', { site_admin: true }), user('carol')],
    projects: [
      {
        shortname: 'p',
        label: 'P',
        admins: ['alice'],
        members: ['carol'],
        trackers: [
          { item_name: 'bug', label: 'Bugs', fields: [{ name: 'title', label: 'Title', type: 'string' }, ...fields] },
        ],
      },
    ],
  });

const apply = (api: ArtifactApi, fields: readonly object[]): Promise<unknown> =>
  api.operate('apply', { text: platformOf(fields), prune: false, env: {} });

describe('an artifact with a field that was emptied before it became required', () => {
  const reason = (more: object): Json => ({ name: 'reason', label: 'Reason', type: 'string', ...more });
  let api: ArtifactApi;
  let id: number;
  before(async () => {
    api = await artifactApi({ platform: platformOf([reason({})]) });
    id = await api.created([api.set('reason', { value: 'none yet' })]);
    await api.changed(id, [api.set('reason', { value: '' })]);
    await apply(api, [reason({ required: true, permissions: { update: ['project_admins'] } })]);
  });
  after(() => api.stop());

  it('is sent back as it was read, by a user who may not fill in the field', async () => {
    const [etag, values] = [await api.etag(id), elementsOf(await api.read(id))];
    expect(values.map(({ value }) => value)).to.deep.equal(['Crash', '']);
    expect(await api.changed(id, values)).to.equal(etag);
  });

  it('is sent back with another title', async () => {
    const [, emptied] = elementsOf(await api.read(id));
    await api.changed(id, [api.titled('Fire'), emptied]);
    expect(await api.shown(id, 'title')).to.include({ value: 'Fire' });
  });

  it('takes a value from those who may update the field, and keeps it then', async () => {
    const filled = [api.set('reason', { value: 'found' })];
    expect(refusal(await api.change(id, filled))).to.deep.equal({ status: 400, pointers: ['/values/0'] });
    await api.changed(id, filled, { as: 'alice' });
    const emptied = await api.change(id, [api.set('reason', { value: '' })], { as: 'alice' });
    expect(refusal(emptied)).to.deep.equal({ status: 400, pointers: ['/values/0/value'] });
  });
});
