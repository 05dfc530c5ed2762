import { expect } from 'chai';
import { artifactApi, type ArtifactApi } from './artifact-api.js';

const user = (username: string, more: object = {}) => ({
  username,
  real_name: username,
  email: `${username}@example.org`,
  password: `${username}'s password`,
  ...more,
});

const PLATFORM = JSON.stringify({
  settings: { anonymous_access: true },
  users: [user('alice', { site_admin: true }), user('bob'), user('carol')],
  projects: [
    {
      shortname: 'p',
      label: 'P',
      admins: ['alice'],
      members: ['bob', 'carol'],
      trackers: [
        {
          item_name: 'bug',
          label: 'Bugs',
          permissions: { access: ['all_users'], submit: ['project_members'], update: ['project_members'] },
          fields: [
            { name: 'title', label: 'Title', type: 'text' },
            { name: 'owners', label: 'Owners', type: 'tbl', bind: 'users', from: ['project_members'] },
            { name: 'links', label: 'Links', type: 'art_link' },
          ],
          semantics: { title: 'title', contributor: 'owners' },
        },
      ],
    },
  ],
});

const HTML = '<p>Leaks <b>oil</b> &amp; w&ouml;rse</p><script>x()</script>';

describe('an artifact of a tracker whose title is a text, and whose contributors are an open list', () => {
  let api: ArtifactApi;
  beforeEach(async () => {
    api = await artifactApi({ platform: PLATFORM });
  });
  afterEach(() => api.stop());

  const titled = (content: string, format: string) => [api.titled({ content, format })];
  /** As every answer shows it that has titles. */
  const titles = async (id: number): Promise<ReadonlySet<unknown>> => {
    const of = (body: readonly { readonly id: number; readonly title: unknown }[]) =>
      body.find((artifact) => artifact.id === id)?.title;
    const child = await api.created([api.set('links', { parent: { id } })]);
    const tracker = `/trackers/${api.tracker('bug')}`;
    const linked = `/artifacts/${child}/linked_artifacts?direction=reverse&nature=_is_child`;
    const shown: unknown[] = [];
    for (const values of ['', 'all', 'collection', 'by_field']) {
      const one = await api.get(`/artifacts/${id}?values_format=${values}`);
      shown.push((one.body as { readonly title: unknown }).title);
    }
    for (const values of ['', 'all']) shown.push(of((await api.get(`${tracker}/artifacts?values=${values}`)).body));
    shown.push(of((await api.get(`${tracker}/parent_artifacts`)).body));
    shown.push(of((await api.get(linked)).body.collection));
    const query = encodeURIComponent(JSON.stringify({ id: [id] }));
    shown.push(of((await api.get(`/artifacts?query=${query}`)).body.collection));
    return new Set(shown);
  };

  it('has a title without markup, wherever it is shown', async () => {
    for (const [content, format, title] of [
      [HTML, 'html', 'Leaks oil & wörse'],
      ['# Leaks *oil* &amp; more', 'commonmark', 'Leaks oil & more'],
      [HTML, 'text', HTML],
      ['<p> </p>', 'html', ''],
    ] as const) {
      const id = await api.created(titled(content, format));
      expect([...(await titles(id))], content).to.deep.equal([title]);
    }
  });

  it('has an empty title, wherever it is shown, until it is given one and once that is removed', async () => {
    const { id } = (await api.submit([api.set('owners', { bind_value_ids: [] })])).body;
    expect([...(await titles(id))]).to.deep.equal(['']);
    await api.changed(id, titled('a', 'text'));
    await api.changed(id, titled('', 'text'));
    expect([...(await titles(id))]).to.deep.equal(['']);
  });

  it('has the title of a past state without markup', async () => {
    const id = await api.created(titled(HTML, 'html'));
    await api.changed(id, titled('# Other', 'commonmark'));
    const { body } = await api.get(`/artifacts/${id}?revision=0`, { as: 'alice' });
    expect(body.title).to.equal('Leaks oil & wörse');
  });

  it('names the users of the list as assignees, in the order of the list, and no label that was added', async () => {
    const names = ['carol', 'other@example.org', 'bob'];
    const id = await api.created([api.set('owners', { bind_value_ids: names })]);
    const { body } = await api.read(id);
    const assigned = body.assignees as readonly { readonly username: string }[];
    expect(assigned.map(({ username }) => username)).to.deep.equal(['carol', 'bob']);
  });

  it('shows the longest titles of a page whole', async () => {
    const content = '"'.repeat(65_000);
    for (let count = 0; count < 5; count += 1) await api.created(titled(content, 'commonmark'));
    const { body } = await api.get(`/trackers/${api.tracker('bug')}/artifacts`);
    expect(body.map(({ title }: { readonly title: string }) => title)).to.deep.equal(Array(5).fill(content));
  });
});
