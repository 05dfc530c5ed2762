import { expect } from 'chai';
import { once } from 'node:events';
import { linkRoutes } from '../../../src/artifacts/links/routes.js';
import { trackerLinkRoutes } from '../../../src/artifacts/links/tracker-routes.js';
import { viewer, type Viewer } from '../../../src/authorization/viewer.js';
import { artifactPorts } from '../../../src/composition/http-server.js';
import { ClientLeft } from '../../../src/http/gone.js';
import { type Route } from '../../../src/http/route.js';
import { eventually } from '../../e2e/servers/eventually.js';
import { toyApp } from '../../http/toy-app.js';
import { interruptedReads, type InterruptedReads } from '../../support/interrupted-reads.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { twoProjects } from '../two-projects.js';

const CHILD = '_is_child';

describe('Links', () => {
  let api: ArtifactApi;
  let reads: InterruptedReads;
  before(async () => {
    api = await artifactApi({ platform: twoProjects() });
    reads = await interruptedReads(api);
  });
  after(async () => {
    await reads.close();
    await api.stop();
  });

  const apply = (text: string) => api.operate('apply', { text, prune: false, env: {} });
  const linkedTo = (id: number, tracker = 'bug') =>
    api.created([api.set('links', { links: [{ id, type: CHILD }] }, tracker)], { as: 'alice', tracker });
  const paths: Readonly<Record<string, (id: number) => string>> = {
    '/artifacts/{id}/links': (id) => `/artifacts/${id}/links`,
    '/artifacts/{id}/linked_artifacts': (id) => `/artifacts/${id}/linked_artifacts?nature=${CHILD}&direction=reverse`,
    '/trackers/{id}/used_artifact_links': () => `/trackers/${api.tracker('bug')}/used_artifact_links`,
    '/trackers/{id}/parent_artifacts': () => `/trackers/${api.tracker('bug')}/parent_artifacts`,
  };

  for (const [path, pathOf] of Object.entries(paths)) {
    it(`are not shown to a reader who loses the project while they are read, by ${path}`, async () => {
      await apply(twoProjects());
      const id = await api.created([], { as: 'alice' });
      await linkedTo(id);
      reads.before('findIds', async () => {
        await apply(twoProjects(({ projects: [project] }) => (project.access = 'private')));
        await linkedTo(id, 'task');
      });
      const { status, body } = await reads.reader().get(pathOf(id), { as: 'eve' });
      expect(reads.hasCome()).to.equal(true);
      expect(status, JSON.stringify(body)).to.equal(403);
    });
  }

  it('are read no further once their client has left', async () => {
    await apply(twoProjects());
    const id = await api.created([], { as: 'alice' });
    await linkedTo(id);
    const ports = artifactPorts(api.service);
    const leaving = { client: new AbortController() };
    const ends: unknown[] = [];
    const left = (route: Route<Viewer>): Route<Viewer> => ({
      ...route,
      handle: async (request) => {
        leaving.client.abort();
        await once(request.ctx.res, 'close');
        try {
          await route.handle({ ...request, viewer: viewer(api.service.definitions, null) });
          ends.push('answered');
        } catch (error) {
          ends.push(error);
        }
      },
    });
    const toy = await toyApp({ routes: () => [...linkRoutes(ports), ...trackerLinkRoutes(ports)].map(left) });
    try {
      for (const [index, pathOf] of Object.values(paths).entries()) {
        leaving.client = new AbortController();
        await fetch(`${toy.url}/api${pathOf(id)}`, { signal: leaving.client.signal }).catch(() => undefined);
        await eventually('the end of the request', () => ends.length > index);
        expect(ends[index], pathOf(id)).to.be.instanceOf(ClientLeft);
      }
    } finally {
      await toy.close();
    }
  });
});
