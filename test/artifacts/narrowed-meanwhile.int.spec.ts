import { expect } from 'chai';
import { type EventLog } from '../../src/core/event-log.js';
import { type ReadModels } from '../../src/core/read-models.js';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { serve, type Listening } from '../../src/composition/http-server.js';
import { client, type Client } from '../support/client.js';
import { artifactApi, type ArtifactApi } from './artifact-api.js';
import { plainPlatform } from './plain-platform.js';

interface Platform {
  settings?: { readonly anonymous_access: boolean };
  readonly users: readonly { readonly username: string; status?: string }[];
  readonly projects: readonly {
    access?: string;
    readonly trackers: readonly {
      readonly permissions: { access: readonly string[] };
      readonly fields: readonly { readonly name: string; permissions?: { readonly read: readonly string[] } }[];
    }[];
  }[];
}

const PLAIN = plainPlatform([{ name: 'text', label: 'Text', type: 'text' }], ['eve']);
const AFTERWARDS = 'written afterwards';

const project = (platform: Platform) => platform.projects[0]!;
const tracker = (platform: Platform) => project(platform).trackers[0]!;

const userNamed = (platform: Platform, name: string) => platform.users.find(({ username }) => username === name)!;
const textOf = (platform: Platform) => tracker(platform).fields.find(({ name }) => name === 'text')!;

/** The platform with all that the narrowings change: what a file does not name would stay. */
function platformWith(narrow: (platform: Platform) => unknown = () => undefined): string {
  const platform = JSON.parse(PLAIN) as Platform;
  platform.settings = { anonymous_access: true };
  for (const user of platform.users) user.status = 'active';
  project(platform).access = 'public';
  textOf(platform).permissions = { read: ['all_users'] };
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
  /** Comes once, before the next reading. */
  let meanwhile: (() => Promise<unknown>) | undefined;

  const happened = async (): Promise<void> => {
    const change = meanwhile;
    meanwhile = undefined;
    await change?.();
  };
  const apply = (platform: string) => api.operate('apply', { text: platform, prune: false, env: {} });

  before(async () => {
    api = await artifactApi({ platform: platformWith() });
    const { readModels, log } = api.service;
    const findSlice: ReadModels['findSlice'] = async (...asked) => {
      await happened();
      return readModels.findSlice(...asked);
    };
    const read: EventLog['read'] = async (stream, part) => {
      if (stream === artifactStream(id)) await happened();
      return log.read(stream, part);
    };
    const service = { ...api.service, readModels: { ...readModels, findSlice }, log: { ...log, read } };
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
    id = await api.created([api.set('text', { value: { content: 'Before', format: 'text' } })]);
  });

  const at = encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString());
  const paths: Readonly<Record<string, (artifact: number) => string>> = {
    '/trackers/{id}/artifacts': () => `/trackers/${api.tracker('bug')}/artifacts?values=all&limit=1&order=desc`,
    '/artifacts/{id}/changesets': (artifact) => `/artifacts/${artifact}/changesets?order=desc`,
    '/artifacts/{id}/history': (artifact) => `/artifacts/${artifact}/history?order=desc`,
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

  it('and is suspended writes nothing', async () => {
    const suspended = platformWith((platform) => (userNamed(platform, 'carol').status = 'suspended'));
    const etag = await api.etag(id);
    meanwhile = () => apply(suspended);
    const values = [api.titled('Afterwards')];
    const { status, body } = await reader.put(`/artifacts/${id}`, { as: 'carol', body: { values } });
    expect(meanwhile).to.equal(undefined);
    expect({ status, message: body.error.message }).to.deep.equal({
      status: 403,
      message: 'Forbidden: The account is suspended',
    });
    expect(await api.etag(id)).to.equal(etag);
  });
});
