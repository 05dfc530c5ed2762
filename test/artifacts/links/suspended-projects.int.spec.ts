import { expect } from 'chai';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { twoProjects } from '../two-projects.js';

/** Only site administrators still see what the suspended project holds. */
describe('Links to an artifact of a suspended project', () => {
  const as = 'alice';
  let api: ArtifactApi;
  let task: number;
  let linked: number;
  before(async () => {
    api = await artifactApi({ platform: twoProjects() });
    task = await api.created([], { as, tracker: 'task' });
    linked = await api.created([linksTo(task)], { as });
    const text = twoProjects(({ projects: [, project] }) => Object.assign(project, { status: 'suspended' }));
    await api.operate('apply', { text, prune: false, env: {} });
  });
  after(() => api.stop());

  const linksTo = (...ids: readonly number[]) => api.set('links', { links: ids.map((id) => ({ id, type: '' })) });
  const all = (direction: string, type = '') => api.set('links', { all_links: [{ id: task, direction, type }] });

  it('are refused in every direction, also to a site administrator', async () => {
    const id = await api.created([], { as });
    const parent = api.set('links', { parent: { id: task } });
    for (const element of [linksTo(task), all('forward', '_is_child'), all('reverse'), parent]) {
      const answers = [
        await api.change(id, [element], { as }),
        await api.submit([api.titled('Crash'), element], { as }),
      ];
      for (const { status, body } of answers) {
        expect([status, body.error.details.length], JSON.stringify(element)).to.deep.equal([400, 1]);
      }
    }
    expect(await api.etag(id)).to.equal('"0"');
  });

  it('are named in the refusal', async () => {
    const { body } = await api.submit([api.titled('Crash'), linksTo(linked, task)], { as });
    expect(body.error.details).to.deep.equal([
      { pointer: '/values/1/links/1/id', message: `Links: ${task} is in a project that is not active` },
    ]);
  });

  it('are named once if they lead in both directions', async () => {
    const links = ['forward', 'reverse'].map((direction) => ({ id: task, direction, type: '' }));
    const { body } = await api.submit([api.titled('Crash'), api.set('links', { all_links: links })], { as });
    expect(body.error.details).to.deep.equal([
      { pointer: '/values/1/all_links/1/id', message: `Links: ${task} is in a project that is not active` },
    ]);
  });

  it('stay if they are sent back, alone or beside others, and cannot get another type', async () => {
    expect(await api.changed(linked, [linksTo(task)], { as })).to.equal('"0"');
    expect(await api.changed(linked, [all('forward')], { as })).to.equal('"0"');
    const other = await api.created([], { as });
    expect(await api.changed(linked, [linksTo(task, other)], { as })).to.equal('"1"');
    expect((await api.change(linked, [all('forward', '_is_child')], { as })).status).to.equal(400);
    expect((await api.links(linked, as)).forward).to.deep.equal([String(task), String(other)].sort());
  });

  it('are not told to a writer who sends them into a field that is not shown', async () => {
    const unread = twoProjects(({ users: [, , eve], projects: [bugs, tasks] }) => {
      Object.assign(eve, { site_admin: true });
      Object.assign(tasks, { status: 'suspended' });
      Object.assign(bugs.trackers[0]!.fields[1]!, { permissions: { read: ['project_members'] } });
    });
    await api.operate('apply', { text: unread, prune: false, env: {} });
    const id = await api.created([], { as });
    for (const artifact of [id, linked]) {
      expect((await api.change(artifact, [linksTo(task)], { as: 'eve' })).status).to.equal(400);
    }
  });
});
