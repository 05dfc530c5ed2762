import { expect } from 'chai';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { ARTIFACTS } from '../../../src/artifacts/artifact-view.js';
import { type StreamName } from '../../../src/core/event-log.js';
import { projectStream } from '../../../src/projects/project-events.js';
import { PROJECTS } from '../../../src/projects/project-view.js';
import { PLATFORM_STREAM } from '../../../src/platform/platform-events.js';
import { PLATFORM } from '../../../src/platform/platform-view.js';
import { trackerStream } from '../../../src/trackers/tracker-events.js';
import { TRACKERS } from '../../../src/trackers/tracker-view.js';
import { userStream } from '../../../src/users/user-events.js';
import { USERS } from '../../../src/users/user-view.js';
import { artifactApi, type ArtifactApi } from '../../artifacts/artifact-api.js';
import { type Answer } from '../../support/client.js';
import { appendNewer } from '../../support/newer-release.js';

describe('what a newer release has written, shown by this one', () => {
  let api: ArtifactApi;

  beforeEach(async () => {
    api = await artifactApi();
  });
  afterEach(() => api.stop());

  const newer = async (stream: StreamName, projection: string): Promise<void> => {
    const position = await appendNewer(api.service.log, stream);
    expect(await api.service.readModels.caughtUp(projection, position, 10_000)).to.equal(true);
  };
  const isRefused = ({ status, headers, body }: Answer, stream: StreamName): void => {
    expect(status, JSON.stringify(body)).to.equal(503);
    expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
    expect(body.error.message).to.include(`${stream} cannot be shown`).and.to.include('does not understand');
  };
  const page = (query = '', as = 'carol') => api.get(`/trackers/${api.tracker('bug')}/artifacts${query}`, { as });

  it('is 503 for the artifact and for pages with the artifact, and other pages are served', async () => {
    const [first, marked, last] = [await api.created(), await api.created(), await api.created()];
    const stream = artifactStream(marked);
    await newer(stream, ARTIFACTS);

    isRefused(await api.read(marked), stream);
    isRefused(await api.get(`/artifacts/${marked}/changesets`, { as: 'carol' }), stream);
    isRefused(await api.get(`/artifacts/${marked}?revision=0`, { as: 'carol' }), stream);
    isRefused(await page(), stream);
    isRefused(await page('?limit=1&offset=1'), stream);
    isRefused(await api.get(`/artifacts?query=${encodeURIComponent(JSON.stringify({ id: [first, marked] }))}`), stream);

    expect((await api.read(first)).status).to.equal(200);
    // Whom the marked artifact is kept from now only an administrator need not know.
    isRefused(await page('?limit=1&offset=2'), stream);
    const others = await page('?limit=1&offset=2', 'alice');
    expect(others.status, JSON.stringify(others.body)).to.equal(200);
    expect(others.body.map(({ id }: { id: number }) => id)).to.deep.equal([last]);
    expect(others.headers.get('x-pagination-size')).to.equal('3');
    await api.changed(last, [api.titled('Late')]);
    expect((await api.read(last)).body.title).to.equal('Late');
  });

  it('is 503 for a filtered page if a changed value could put the artifact on the page', async () => {
    const marked = await api.created();
    await api.created([api.titled('Leak')]);
    await newer(artifactStream(marked), ARTIFACTS);
    const filter = (value: object): string => `?query=${encodeURIComponent(JSON.stringify(value))}`;
    isRefused(await page(filter({ title: 'Leak' })), artifactStream(marked));
    const note = await api.get(`/trackers/${api.tracker('note')}/artifacts${filter({ title: 'Leak' })}`, {
      as: 'carol',
    });
    expect(note.status, JSON.stringify(note.body)).to.equal(200);
  });

  it('is 503 for every page that an artifact of unknown beginning might be on', async () => {
    await api.created();
    await newer('artifact-99999', ARTIFACTS);
    isRefused(await api.read(99_999), 'artifact-99999');
    isRefused(await page(), 'artifact-99999');
  });

  it('is 503 for every page that an artifact might be on if only a fence of its stream is understood', async () => {
    await api.created();
    const stream = artifactStream(99_998);
    const released: ArtifactEvent = { type: 'FileClaimsReleased', data: { artifactId: 99_998, files: [] } };
    await appendNewer(api.service.log, stream, released);
    await newer(stream, ARTIFACTS);
    isRefused(await api.read(99_998), stream);
    isRefused(await page(), stream);
  });

  it('is 503 for the sign-in and the requests of its user, whom other answers still name', async () => {
    const id = await api.created([], { as: 'carol' });
    await api.signIn('carol');
    const stream = userStream(api.user('carol'));
    await newer(stream, USERS);
    isRefused(await api.read(id, 'carol'), stream);
    const body = { username: 'carol', password: "carol's password" };
    isRefused(await api.post('/tokens', { body }), stream);
    const basic = Buffer.from(`${body.username}:${body.password}`).toString('base64');
    isRefused(await api.get('/users/self', { headers: { Authorization: `Basic ${basic}` } }), stream);
    isRefused(await api.get(`/users/${api.service.definitions.userNamed('bob')!.id + 1}`, { as: 'bob' }), stream);

    expect((await api.read(id, 'bob')).body.submitted_by_user.username).to.equal('carol');
    expect((await api.post('/tokens', { body: { username: 'bob', password: "bob's password" } })).status).to.equal(200);
  });

  it('is 503 for all routes of its tracker, for all readers, and other trackers are served', async () => {
    const [id, note] = [await api.created(), await api.created([], { tracker: 'note' })];
    const stream = trackerStream(api.tracker('bug'));
    const path = `/trackers/${api.tracker('bug')}`;
    await newer(stream, TRACKERS);
    for (const as of ['alice', 'carol']) {
      isRefused(await api.read(id, as), stream);
      isRefused(await api.get(path, { as }), stream);
      isRefused(await api.get(`${path}/artifacts`, { as }), stream);
    }
    isRefused(await api.get(`/artifacts/${id}`), stream);
    expect((await api.read(note)).status).to.equal(200);
  });

  it('is 503 for all routes of its project, for all readers', async () => {
    const id = await api.created();
    const project = api.service.definitions.projectNamed('hydra')!.id;
    const stream = projectStream(project);
    await newer(stream, PROJECTS);
    for (const as of ['alice', 'carol']) {
      isRefused(await api.read(id, as), stream);
      isRefused(await api.get(`/projects/${project}`, { as }), stream);
      isRefused(await api.get('/projects', { as }), stream);
    }
    expect((await api.get('/users/self', { as: 'carol' })).status).to.equal(200);
  });

  it('is 503 for no request of another project', async () => {
    await api.operate('apply', {
      text: 'projects: [{ shortname: hydra, label: Hydra, svn: true }]',
      prune: false,
      env: {},
    });
    const { definitions } = api.service;
    const hydra = definitions.projectNamed('hydra')!;
    const group = hydra.groups[0]!.id;
    const announce = (field: number, as: string): Promise<Answer> =>
      api.post(`/tracker_fields/${field}/files`, {
        as,
        body: { name: 'a.txt', file_size: 5, file_type: 'text/plain' },
      });
    const [shown, hidden] = [api.field('bug', 'attachments'), api.field('case', 'title')];
    await newer(projectStream(definitions.projectNamed('vault')!.id), PROJECTS);

    for (const as of ['alice', 'bob']) {
      expect((await api.get(`/user_groups/${group}`, { as })).status).to.equal(200);
      expect((await api.get('/user_groups/99999', { as })).status).to.equal(404);
      expect((await announce(shown, as)).status).to.equal(200);
      expect((await announce(999_999, as)).status).to.equal(404);
      expect((await announce(hidden, as)).status).to.equal(503);
    }
    const email_notifications = [{ path: '/', emails: [], users: [], user_groups: [group] }];
    const settings = { email_notifications };
    const body = { project_id: hydra.id, name: 'code', settings };
    const made = await api.post('/svn', { as: 'alice', body });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
  });

  it('closes the platform to anonymous readers while its settings are unknown', async () => {
    const id = await api.created();
    expect((await api.get(`/artifacts/${id}`)).status).to.equal(200);
    await newer(PLATFORM_STREAM, PLATFORM);
    isRefused(await api.get(`/artifacts/${id}`), PLATFORM_STREAM);
    expect((await api.read(id, 'carol')).status).to.equal(200);
  });
});
