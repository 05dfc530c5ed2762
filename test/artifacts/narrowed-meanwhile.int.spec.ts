import { expect } from 'chai';
import { type EventLog } from '../../src/core/event-log.js';
import { type ReadModels } from '../../src/core/read-models.js';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { artifactsOf, type ArtifactSearch } from '../../src/artifacts/queries.js';
import { PageChanged } from '../../src/artifacts/representation/artifact-pages.js';
import { viewer } from '../../src/authorization/viewer.js';
import { openValuesStream } from '../../src/trackers/tracker-events.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import { serve, type Listening } from '../../src/composition/http-server.js';
import { client, type Client } from '../support/client.js';
import { artifactApi, type ArtifactApi } from './artifact-api.js';
import { plainPlatform } from './plain-platform.js';

interface Platform {
  settings?: {
    readonly anonymous_access: boolean;
    readonly artifact_deletion_limit?: number;
    readonly archive_deleted_artifacts?: boolean;
  };
  readonly users: readonly { readonly username: string; status?: string; site_admin?: boolean }[];
  readonly projects: readonly {
    access?: string;
    members?: readonly string[];
    admins?: readonly string[];
    readonly trackers: readonly {
      readonly permissions: { access: readonly string[] };
      readonly fields: readonly { readonly name: string; permissions?: { readonly read: readonly string[] } }[];
    }[];
  }[];
}

const PLAIN = plainPlatform(
  [
    { name: 'text', label: 'Text', type: 'text' },
    { name: 'tags', label: 'Tags', type: 'tbl' },
  ],
  ['eve'],
);
const AFTERWARDS = 'written afterwards';
const NO_ADMIN = { status: 403, message: 'Forbidden: Only administrators of the tracker may delete its artifacts' };
const SUSPENDED = { status: 403, message: 'Forbidden: The account is suspended' };

const project = (platform: Platform) => platform.projects[0]!;
const tracker = (platform: Platform) => project(platform).trackers[0]!;

const userNamed = (platform: Platform, name: string) => platform.users.find(({ username }) => username === name)!;
const textOf = (platform: Platform) => tracker(platform).fields.find(({ name }) => name === 'text')!;

/** The platform with all that the narrowings change: what a file does not name would stay. */
function platformWith(narrow: (platform: Platform) => unknown = () => undefined): string {
  const platform = JSON.parse(PLAIN) as Platform;
  platform.settings = { anonymous_access: true, artifact_deletion_limit: 5 };
  for (const user of platform.users) user.status = 'active';
  project(platform).access = 'public';
  project(platform).members = ['carol'];
  project(platform).admins = ['alice'];
  textOf(platform).permissions = { read: ['all_users'] };
  userNamed(platform, 'eve').site_admin = false;
  narrow(platform);
  return JSON.stringify(platform);
}

/** What the artifacts' and the tracker's own routes answer then. */
const NARROWINGS: Readonly<
  Record<
    string,
    {
      readonly as?: 'eve';
      readonly narrow: (platform: Platform) => void;
      readonly artifact: number;
      readonly ofTracker: number;
    }
  >
> = {
  'is suspended': {
    as: 'eve',
    narrow: (platform) => (userNamed(platform, 'eve').status = 'suspended'),
    artifact: 403,
    ofTracker: 403,
  },
  'has the project no longer': {
    as: 'eve',
    narrow: (platform) => (project(platform).access = 'private'),
    artifact: 403,
    ofTracker: 403,
  },
  'has the tracker no longer': {
    as: 'eve',
    narrow: (platform) => (tracker(platform).permissions.access = ['project_members']),
    artifact: 403,
    ofTracker: 404,
  },
  'is no longer welcome without an account': {
    narrow: (platform) => (platform.settings = { anonymous_access: false }),
    artifact: 401,
    ofTracker: 401,
  },
  'has the field no longer': {
    as: 'eve',
    narrow: (platform) => (textOf(platform).permissions = { read: ['project_members'] }),
    artifact: 200,
    ofTracker: 200,
  },
};

describe('a reader who loses a right while a request waits for what it reads', () => {
  let api: ArtifactApi;
  let listening: Listening;
  let reader: Client;
  let id: number;
  let searches = 0;
  /** Comes once, before the next reading of the log or of a page, or the next new label. */
  let meanwhile: (() => Promise<unknown>) | undefined;

  const happened = async (): Promise<void> => {
    const change = meanwhile;
    meanwhile = undefined;
    await change?.();
  };
  /** Comes once, after the next count of a deletion. */
  let onceCounted: (() => Promise<unknown>) | undefined;
  const counted = async (): Promise<void> => {
    const change = onceCounted;
    onceCounted = undefined;
    await change?.();
  };
  const apply = (platform: string) => api.operate('apply', { text: platform, prune: false, env: {} });

  before(async () => {
    api = await artifactApi({ platform: platformWith() });
    const { readModels, log } = api.service;
    const findSlice: ReadModels['findSlice'] = async (...asked) => {
      searches += 1;
      await happened();
      return readModels.findSlice(...asked);
    };
    const findIds: ReadModels['findIds'] = async (...asked) => {
      await happened();
      return readModels.findIds(...asked);
    };
    const read: EventLog['read'] = async (stream, part) => {
      if (stream === artifactStream(id)) await happened();
      return log.read(stream, part);
    };
    const append: EventLog['append'] = async (stream, ...given) => {
      if (stream === openValuesStream(api.field('bug', 'tags'))) await happened();
      const appended = await log.append(stream, ...given);
      if (stream.startsWith('deletions-')) await counted();
      return appended;
    };
    const service = {
      ...api.service,
      readModels: { ...readModels, findSlice, findIds },
      log: { ...log, read, append },
    };
    listening = await serve({ ...api.serving, service });
  });
  after(async () => {
    await listening.close(1000);
    await api.stop();
  });
  beforeEach(async () => {
    await apply(platformWith());
    // A suspension has ended the tokens of the one before.
    reader = client(`http://127.0.0.1:${listening.port}`);
    id = await api.created([api.set('text', { value: { content: 'Before', format: 'text' } })], { as: 'alice' });
  });

  const at = encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString());
  const paths: Readonly<Record<string, (artifact: number) => string>> = {
    '/trackers/{id}/artifacts': () => `/trackers/${api.tracker('bug')}/artifacts?values=all&limit=1&order=desc`,
    '/artifacts/{id}/changesets': (artifact) => `/artifacts/${artifact}/changesets?order=desc`,
    '/artifacts/{id}/history': (artifact) => `/artifacts/${artifact}/history?order=desc`,
    '/artifacts/{id}/changesets, of none': (artifact) => `/artifacts/${artifact}/changesets?offset=1000`,
    '/artifacts/{id}/history, of none': (artifact) => `/artifacts/${artifact}/history?offset=1000`,
    '/artifacts/{id}?at=': (artifact) => `/artifacts/${artifact}?at=${at}`,
  };
  for (const [path, pathOf] of Object.entries(paths)) {
    for (const [what, { narrow, artifact, ofTracker, ...as }] of Object.entries(NARROWINGS)) {
      it(`and ${what} is not shown what is written afterwards, by ${path}`, async () => {
        meanwhile = async () => {
          await apply(platformWith(narrow));
          await api.changed(id, [api.set('text', { value: { content: AFTERWARDS, format: 'text' } })]);
        };
        const answer = await reader.get(pathOf(id), as);
        expect(meanwhile).to.equal(undefined);
        const text = JSON.stringify(answer.body);
        expect(answer.status, text).to.equal(path.startsWith('/trackers') ? ofTracker : artifact);
        expect(text).not.to.include(AFTERWARDS);
      });
    }
  }

  it('and is suspended is not told how many revisions there are', async () => {
    meanwhile = () => apply(platformWith((platform) => (userNamed(platform, 'eve').status = 'suspended')));
    const { status, body } = await reader.get(`/artifacts/${id}?revision=999`, { as: 'eve' });
    expect({ status, message: body.error.message }).to.deep.equal(SUSPENDED);
  });

  it('is searched for anew only if the change is of what the reader may do', async () => {
    const asAdmin = platformWith((platform) => (userNamed(platform, 'eve').site_admin = true));
    const changes = [
      [platformWith(), platformWith((platform) => (project(platform).members = ['carol', 'alice'])), 1],
      [platformWith(), platformWith((platform) => (project(platform).members = ['carol', 'eve'])), 2],
      [asAdmin, platformWith(), 2],
    ] as const;
    for (const [index, [before, after, times]] of changes.entries()) {
      await apply(before);
      searches = 0;
      meanwhile = () => apply(after);
      const path = `/trackers/${api.tracker('bug')}/artifacts?limit=1&order=desc&sort=title&offset=${index}`;
      expect((await reader.get(path, { as: 'eve' })).status).to.equal(200);
      expect(searches).to.equal(times);
    }
  });

  for (const [what, narrow] of [
    ['has changed', (platform: Platform) => (textOf(platform).permissions = { read: ['project_members'] })],
    ['the reader has lost', (platform: Platform) => (project(platform).access = 'private')],
  ] as const) {
    it(`is searched for anew in a tracker that ${what} since it was found`, async () => {
      const { definitions, readModels } = api.service;
      const before = definitions.tracker(api.tracker('bug'))!;
      await apply(platformWith(narrow));
      const search: ArtifactSearch = { since: {}, direction: 'asc', limit: 1, offset: 0 };
      const found = artifactsOf(before, search, { readModels, definitions, viewer: viewer(definitions, null) });
      expect(await rejection(found)).to.be.instanceOf(PageChanged);
    });
  }

  const suspended = platformWith((platform) => (userNamed(platform, 'carol').status = 'suspended'));

  it('and is suspended submits nothing, where the labels of another request come first', async () => {
    const tagged = (label: string) => api.set('tags', { value: { bind_value_objects: [{ label }] } });
    meanwhile = async () => {
      id = await api.created([tagged('first')], { as: 'alice' });
      await apply(suspended);
    };
    const body = { tracker: { id: api.tracker('bug') }, values: [api.titled('Afterwards'), tagged('second')] };
    const answer = await reader.post('/artifacts', { as: 'carol', body });
    expect(meanwhile).to.equal(undefined);
    expect({ status: answer.status, message: answer.body.error.message }).to.deep.equal(SUSPENDED);
    const { body: newest } = await api.get(`/trackers/${api.tracker('bug')}/artifacts?order=desc&limit=1`);
    expect(newest[0].id).to.equal(id);
  });

  const administrators = (platform: Platform) => (project(platform).admins = ['alice', 'carol']);

  for (const [what, narrowed, refusal] of [
    ['is suspended', suspended, SUSPENDED],
    ['administers the tracker no longer', platformWith(), NO_ADMIN],
  ] as const) {
    it(`and ${what} deletes nothing`, async () => {
      await apply(
        platformWith((platform) => {
          administrators(platform);
          platform.settings = { anonymous_access: true, archive_deleted_artifacts: true };
        }),
      );
      const source = await api.created([api.set('links', { links: [{ id, type: '' }] })], { as: 'alice' });
      // First the artifact is read, then the sources of its links.
      meanwhile = async () => {
        await Promise.resolve();
        meanwhile = () => apply(narrowed);
      };
      const { status, body } = await reader.request('DELETE', `/artifacts/${id}`, { as: 'carol' });
      expect(meanwhile).to.equal(undefined);
      expect({ status, message: body.error.message }).to.deep.equal(refusal);
      expect((await api.read(id, 'alice')).status).to.equal(200);
      expect((await api.links(source, 'alice')).forward).to.deep.equal([`${id}`]);
    });
  }

  it('and is suspended once the deletion is counted has deleted the artifact', async () => {
    await apply(platformWith(administrators));
    onceCounted = () => apply(suspended);
    expect((await reader.request('DELETE', `/artifacts/${id}`, { as: 'carol' })).status).to.equal(200);
    expect(onceCounted).to.equal(undefined);
    expect((await api.read(id, 'alice')).status).to.equal(404);
  });

  it('and is suspended writes nothing', async () => {
    const etag = await api.etag(id);
    meanwhile = () => apply(suspended);
    const values = [api.titled('Afterwards')];
    const { status, body } = await reader.put(`/artifacts/${id}`, { as: 'carol', body: { values } });
    expect(meanwhile).to.equal(undefined);
    expect({ status, message: body.error.message }).to.deep.equal(SUSPENDED);
    expect(await api.etag(id)).to.equal(etag);
  });
});
