import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type EventLog, type StreamName } from '../../src/core/event-log.js';
import { serve, type Listening } from '../../src/composition/http-server.js';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { fileStream } from '../../src/files/file-events.js';
import { openValuesStream } from '../../src/trackers/tracker-events.js';
import { client, type Answer, type Client } from '../support/client.js';
import { artifactApi, type ArtifactApi } from './artifact-api.js';
import { plainPlatform } from './plain-platform.js';

interface Field {
  readonly name: string;
  permissions?: {
    readonly read: readonly string[];
    readonly submit: readonly string[];
    readonly update: readonly string[];
  };
}

interface Project {
  access?: string;
  members?: readonly string[];
  user_groups?: readonly { readonly short_name: string; readonly label: string; readonly members: readonly string[] }[];
  trackers: readonly {
    readonly permissions: { access?: readonly string[]; submit: readonly string[]; update: readonly string[] };
    readonly fields: readonly Field[];
  }[];
}

interface Platform {
  readonly users: readonly { readonly username: string; status?: string }[];
  readonly projects: readonly Project[];
}

const PLAIN = plainPlatform([
  { name: 'tags', label: 'Tags', type: 'tbl' },
  { name: 'att', label: 'Attachments', type: 'file' },
]);
const EVERYBODY = { read: ['all_users'], submit: ['all_users'], update: ['all_users'] };
const MEMBERS = ['project_members'];

const SOURCES = {
  item_name: 'task',
  label: 'Tasks',
  permissions: { access: ['all_users'], submit: MEMBERS, update: MEMBERS },
  fields: [
    { name: 'title', label: 'Title', type: 'string' },
    { name: 'links', label: 'Links', type: 'art_link' },
    { name: 'who', label: 'Who', type: 'perm' },
  ],
};

const fieldNamed = (platform: Platform, wanted: string): Field =>
  platform.projects[0]!.trackers[0]!.fields.find(({ name }) => name === wanted)!;

const teamOf =
  (...members: readonly string[]) =>
  ({ projects: [project] }: Platform): void => {
    project!.user_groups = [{ short_name: 'team', label: 'Team', members }];
  };

/** All read the title, and only these write it. */
const titledBy =
  (...members: readonly string[]) =>
  (platform: Platform): void => {
    teamOf(...members)(platform);
    fieldNamed(platform, 'title').permissions = { ...EVERYBODY, submit: ['team'], update: ['team'] };
  };

/** The platform with all that the narrowings change: what a file does not name would stay. */
function platformWith(narrow: (platform: Platform) => unknown = () => undefined): string {
  const platform = JSON.parse(PLAIN) as Platform;
  for (const user of platform.users) user.status = 'active';
  const project = platform.projects[0]!;
  project.trackers = [...project.trackers, structuredClone(SOURCES)];
  project.access = 'public';
  project.members = ['carol'];
  for (const { permissions, fields } of project.trackers) {
    [permissions.submit, permissions.update] = [MEMBERS, MEMBERS];
    for (const field of fields) field.permissions = EVERYBODY;
  }
  narrow(platform);
  return JSON.stringify(platform);
}

const NARROWINGS: Readonly<Record<string, (platform: Platform) => unknown>> = {
  'is suspended': ({ users }) => (users.find(({ username }) => username === 'carol')!.status = 'suspended'),
  'is a member no longer': ({ projects }) => (projects[0]!.members = []),
  'has the project no longer': ({ projects }) => Object.assign(projects[0]!, { access: 'private', members: [] }),
  'may no longer write in the tracker': ({ projects }) =>
    Object.assign(projects[0]!.trackers[0]!.permissions, { submit: ['project_admins'], update: ['project_admins'] }),
  'may no longer write a field': (platform) =>
    (fieldNamed(platform, 'title').permissions = { ...EVERYBODY, submit: [], update: [] }),
  'has a field no longer': (platform) =>
    (fieldNamed(platform, 'title').permissions = { read: [], submit: [], update: [] }),
};

type Moment = (did: 'read' | 'append', stream: StreamName) => boolean;

describe('a writer who loses a right while the write waits', () => {
  let api: ArtifactApi;
  let listening: Listening;
  let writer: Client;
  let file: number;
  /** Comes once, at its moment. */
  let meanwhile: { readonly at: Moment; readonly change: () => Promise<unknown> } | undefined;

  const happened: (...moment: Parameters<Moment>) => Promise<void> = async (...moment) => {
    if (meanwhile?.at(...moment) !== true) return;
    const { change } = meanwhile;
    meanwhile = undefined;
    await change();
  };
  const apply = (platform: string) => api.operate('apply', { text: platform, prune: false, env: {} });

  before(async () => {
    api = await artifactApi({ platform: platformWith() });
    const { log } = api.service;
    const read: EventLog['read'] = async (stream, part) => {
      await happened('read', stream);
      return log.read(stream, part);
    };
    const append: EventLog['append'] = async (stream, ...given) => {
      await happened('append', stream);
      return log.append(stream, ...given);
    };
    listening = await serve({ ...api.serving, service: { ...api.service, log: { ...log, read, append } } });
  });
  after(async () => {
    await listening.close(1000);
    await api.stop();
  });

  /** A suspension has ended the tokens of the one before. */
  const anotherWriter = () => client(`http://127.0.0.1:${listening.port}`);
  const body = { name: 'a', mimetype: 'text/plain', content: 'QUJD' };
  beforeEach(async () => {
    await apply(platformWith());
    writer = anotherWriter();
    file = (await writer.post('/artifact_temporary_files', { as: 'carol', body })).body.id;
  });

  const values = () => [
    api.titled('Afterwards'),
    api.set('tags', { value: { bind_value_objects: [{ label: randomUUID() }] } }),
    api.set('att', { value: [file] }),
  ];
  const refusal = ({ status, body: { error } }: Answer) => ({ status, error });
  const moments: Readonly<Record<string, Moment>> = {
    'is looked at': (did, stream) => did === 'read' && stream === fileStream(file),
    'is claimed': (did, stream) => did === 'append' && stream === fileStream(file),
    'labels are looked up': (did, stream) => did === 'read' && stream === openValuesStream(api.field('bug', 'tags')),
    'labels are added': (did, stream) => did === 'append' && stream === openValuesStream(api.field('bug', 'tags')),
  };

  for (const [moment, at] of Object.entries(moments)) {
    const when = moment.startsWith('is') ? `a file ${moment}` : moment;
    for (const [what, narrow] of Object.entries(NARROWINGS)) {
      it(`and ${what} changes nothing where ${when}, and is answered as a new request is`, async () => {
        const id = await api.created([], { as: 'alice' });
        meanwhile = { at, change: () => apply(platformWith(narrow)) };
        const asked = { as: 'carol', body: { values: values() } };
        const answer = await writer.put(`/artifacts/${id}`, asked);
        expect(meanwhile).to.equal(undefined);
        expect(answer.status).to.be.within(400, 403);
        expect(refusal(answer)).to.deep.equal(refusal(await writer.put(`/artifacts/${id}`, asked)));
        const types = (await api.service.log.read(artifactStream(id))).events.map(({ type }) => type);
        expect(types).not.to.include('ArtifactValuesChanged');
      });

      it(`and ${what} submits nothing where ${when}, and is answered as a new request is`, async () => {
        const last = await api.created([], { as: 'alice' });
        meanwhile = { at, change: () => apply(platformWith(narrow)) };
        const asked = { as: 'carol', body: { tracker: { id: api.tracker('bug') }, values: values() } };
        const answer = await writer.post('/artifacts', asked);
        expect(meanwhile).to.equal(undefined);
        expect(answer.status).to.be.within(400, 404);
        expect(refusal(answer)).to.deep.equal(refusal(await writer.post('/artifacts', asked)));
        const newest = await api.get(`/trackers/${api.tracker('bug')}/artifacts?order=desc&limit=1`, { as: 'alice' });
        expect(newest.body[0].id).to.equal(last);
      });
    }
  }

  for (const what of ['is a member no longer', 'is suspended']) {
    for (const [moment, when] of [
      ['is claimed', 'the file is claimed'],
      ['labels are added', 'labels are added'],
    ] as const) {
      it(`and ${what} leaves the file of the write unattached where ${when}`, async () => {
        const id = await api.created([], { as: 'alice' });
        meanwhile = { at: moments[moment]!, change: () => apply(platformWith(NARROWINGS[what])) };
        const { status } = await writer.put(`/artifacts/${id}`, { as: 'carol', body: { values: values() } });
        expect(status).to.equal(403);
        const types = (await api.service.log.read(fileStream(file))).events.map(({ type }) => type);
        expect(types.slice(-2)).to.deep.equal(['FileAttached', 'FileDetached']);
      });
    }
  }

  for (const what of ['is suspended', 'has the project no longer', 'may no longer write in the tracker']) {
    it(`and ${what} is answered as a new request is, where the values are refused, too`, async () => {
      const id = await api.created([], { as: 'alice' });
      file = (await api.post('/artifact_temporary_files', { as: 'alice', body })).body.id;
      const asks = [
        () => submitted(),
        () => writer.put(`/artifacts/${id}`, { as: 'carol', body: { values: values() } }),
      ];
      for (const ask of asks) {
        await apply(platformWith());
        writer = anotherWriter();
        meanwhile = { at: moments['is looked at']!, change: () => apply(platformWith(NARROWINGS[what])) };
        const answer = await ask();
        expect(meanwhile).to.equal(undefined);
        expect(answer.status).to.be.oneOf([403, 404]);
        expect(refusal(answer)).to.deep.equal(refusal(await ask()));
      }
    });
  }

  it('has not used the Idempotency-Key of the write', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const asked = () => ({ as: 'carol', headers, body: { tracker: { id: api.tracker('bug') }, values: values() } });
    const narrow = NARROWINGS['may no longer write a field']!;
    meanwhile = { at: moments['labels are added']!, change: () => apply(platformWith(narrow)) };
    expect((await writer.post('/artifacts', asked())).status).to.equal(400);
    await apply(platformWith());
    const { status } = await writer.post('/artifacts', asked());
    expect(status).to.equal(201);
  });

  it('and may no longer write in the tracker of a source of links links nothing from there', async () => {
    const source = await api.created([], { tracker: 'task', as: 'alice' });
    const link = api.set('links', { all_links: [{ id: source, direction: 'reverse', type: '' }] });
    const asked = { as: 'carol', body: { tracker: { id: api.tracker('bug') }, values: [...values(), link] } };
    const narrow = ({ projects }: Platform) => (projects[0]!.trackers[1]!.permissions.update = []);
    meanwhile = { at: moments['labels are added']!, change: () => apply(platformWith(narrow)) };
    const answer = await writer.post('/artifacts', asked);
    expect(answer.status).to.equal(400);
    expect(refusal(answer)).to.deep.equal(refusal(await writer.post('/artifacts', asked)));
    expect((await api.read(source, 'alice')).headers.get('etag')).to.equal('"0"');
  });

  /** Refused, as a new request is, because what narrows came while the labels of the write were added. */
  const refused = async (narrow: (platform: Platform) => unknown, ask: () => Promise<Answer>): Promise<void> => {
    meanwhile = { at: moments['labels are added']!, change: () => apply(platformWith(narrow)) };
    const answer = await ask();
    expect(meanwhile).to.equal(undefined);
    expect(answer.status).to.equal(400);
    expect(refusal(answer)).to.deep.equal(refusal(await ask()));
  };
  const submitted = (...more: readonly object[]) => {
    const body = { tracker: { id: api.tracker('bug') }, values: [...values(), ...more] };
    return writer.post('/artifacts', { as: 'carol', body });
  };

  it('and leaves the group that writes a field, which all read, writes nothing', async () => {
    await apply(platformWith(titledBy('carol')));
    const id = await api.created([], { as: 'carol' });
    await refused(titledBy(), () => writer.put(`/artifacts/${id}`, { as: 'carol', body: { values: values() } }));
    expect((await api.read(id, 'alice')).body.title).to.equal('Crash');
    await apply(platformWith(titledBy('carol')));
    await refused(titledBy(), submitted);
  });

  /** An artifact that only the team sees, with Carol in it. */
  const sourceOfTeam = async (...more: readonly object[]): Promise<number> => {
    await apply(platformWith(teamOf('carol')));
    const { projectId } = api.service.definitions.tracker(api.tracker('bug'))!.view;
    const groups = await api.get(`/projects/${projectId}/user_groups`, { as: 'alice' });
    const team = groups.body.find(({ label }: { label: string }) => label === 'Team').id;
    const who = api.set('who', { value: { granted_groups: [team] } }, 'task');
    return api.created([who, ...more], { tracker: 'task', as: 'alice' });
  };

  it('and may no longer see a source of links links nothing from there', async () => {
    const source = await sourceOfTeam();
    const link = api.set('links', { all_links: [{ id: source, direction: 'reverse', type: '' }] });
    await refused(teamOf(), () => submitted(link));
    expect((await api.read(source, 'alice')).headers.get('etag')).to.equal('"0"');
  });

  it('and may no longer see a source of links takes none away from there', async () => {
    const id = await api.created([], { as: 'alice' });
    const source = await sourceOfTeam(api.set('links', { links: [{ id, type: '' }] }, 'task'));
    meanwhile = { at: moments['labels are added']!, change: () => apply(platformWith(teamOf())) };
    const body = { values: [...values(), api.set('links', { all_links: [] })] };
    expect((await writer.put(`/artifacts/${id}`, { as: 'carol', body })).status).to.equal(400);
    expect(meanwhile).to.equal(undefined);
    expect((await api.read(source, 'alice')).headers.get('etag')).to.equal('"0"');
  });

  it('and may no longer see an artifact does not link to it', async () => {
    const end = await api.created([], { tracker: 'task', as: 'alice' });
    const narrow = ({ projects }: Platform) => (projects[0]!.trackers[1]!.permissions.access = ['project_admins']);
    await refused(narrow, () => submitted(api.set('links', { links: [{ id: end, type: '' }] })));
  });

  it('and may no longer see an artifact of a project that is suspended is told this alone', async () => {
    const withOther = (status: string) => (platform: Platform) => {
      const project = { shortname: 'q', label: 'Q', status, members: ['carol'] };
      return Object.assign(platform, {
        projects: [...platform.projects, { ...project, trackers: [{ ...structuredClone(SOURCES), item_name: 'far' }] }],
      });
    };
    await apply(platformWith(withOther('active')));
    const end = await api.created([], { tracker: 'far', as: 'alice' });
    await refused(withOther('suspended'), () => submitted(api.set('links', { links: [{ id: end, type: '' }] })));
  });

  it('adds no label', async () => {
    const id = await api.created([], { as: 'alice' });
    const labels = async () => (await api.service.log.read(openValuesStream(api.field('bug', 'tags')))).revision;
    const before = await labels();
    const narrow = NARROWINGS['may no longer write a field']!;
    meanwhile = { at: moments['labels are looked up']!, change: () => apply(platformWith(narrow)) };
    expect((await writer.put(`/artifacts/${id}`, { as: 'carol', body: { values: values() } })).status).to.equal(400);
    expect(await labels()).to.equal(before);
  });
});
