import { expect } from 'chai';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

const user = (username: string, more = {}) => ({
  username,
  real_name: username,
  email: `${username}@example.org`,
  password: `${username}'s password`,
  ...more,
});

const tracker = (itemName: string, permissions: object) => ({
  item_name: itemName,
  label: itemName,
  fields: [
    { name: 'title', label: 'Title', type: 'string' },
    { name: 'links', label: 'Links', type: 'art_link' },
    { name: 'remaining', label: 'Remaining', type: 'computed', permissions },
  ],
  semantics: { title: 'title' },
});

const PLATFORM = JSON.stringify({
  users: [user('alice', { site_admin: true }), user('carol')],
  projects: [
    {
      shortname: 'p',
      label: 'P',
      admins: ['alice'],
      members: ['carol'],
      trackers: [tracker('bug', {}), tracker('task', { read: ['project_admins'] })],
    },
  ],
});

describe('the sum over the children of an artifact', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi({ platform: PLATFORM });
  });
  after(() => api.stop());

  const summing = (...children: readonly number[]) => [
    api.set('remaining', { is_autocomputed: true }),
    api.set('links', { links: children.map((id) => ({ id, type: '_is_child' })) }),
  ];

  it('leaves out what the reader may not read of a child', async () => {
    const alice = { as: 'alice' };
    const task = await api.created([api.set('remaining', { manual_value: 7 }, 'task')], { ...alice, tracker: 'task' });
    const bug = await api.created([api.set('remaining', { manual_value: 2 })], alice);
    const parent = await api.created(summing(task, bug), alice);
    expect(await api.shown(parent, 'remaining', 'alice')).to.include({ value: 9 });
    expect(await api.shown(parent, 'remaining', 'carol')).to.include({ value: 2 });
  });

  it('does not go on below a child of which the number was taken away', async () => {
    const as = { as: 'alice' };
    const bottom = await api.created([api.set('remaining', { manual_value: 4 })], as);
    const middle = await api.created(summing(bottom), as);
    const top = await api.created(summing(middle), as);
    expect(await api.shown(top, 'remaining')).to.include({ value: 4 });
    await api.changed(middle, [api.set('remaining', { manual_value: null })], as);
    expect(await api.shown(top, 'remaining')).to.include({ value: null });
  });
});
