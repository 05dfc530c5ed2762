import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { artifactStream } from '../../src/artifacts/artifact-events.js';
import { changeArtifact } from '../../src/artifacts/commands.js';
import { type ArtifactPorts } from '../../src/artifacts/ports.js';
import { type StreamName } from '../../src/core/event-log.js';
import { viewer } from '../../src/authorization/viewer.js';
import { artifactPorts } from '../../src/composition/http-server.js';
import { refusal, type Json } from '../artifacts/artifact-api.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import { readFileSync } from 'node:fs';
import { fileApi, type FileApi } from './file-api.js';

const TEST_PLATFORM = readFileSync(new URL('../support/platform.yaml', import.meta.url), 'utf8');

/** More fields for files: one that only administrators may write, one that only they may read, a small and a required one. */
const PLATFORM = TEST_PLATFORM.replace(
  '          - { name: readers,',
  `          - { name: plans, label: Plans, type: file, permissions: { submit: [project_admins], update: [project_admins] } }
          - { name: reports, label: Reports, type: file, permissions: { read: [project_admins] } }
          - { name: icons, label: Icons, type: file, max_size: 4 }
          - { name: readers,`,
);

describe('A file field', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi({ platform: PLATFORM });
  });
  after(() => api.stop());

  const wrong = { status: 400, pointers: ['/values/0'] };
  const into = (name: string, ...value: readonly unknown[]) => api.set(name, { value });

  it('is set at creation, and described', async () => {
    const id = await api.uploaded('hello');
    const artifact = await api.created([api.attachments(id)]);
    expect(await api.shown(artifact, 'attachments', 'dave')).to.deep.equal({
      field_id: api.field('bug', 'attachments'),
      type: 'file',
      label: 'Attachments',
      file_descriptions: [
        {
          id,
          submitted_by: api.user('carol'),
          description: 'd',
          name: 'f.txt',
          size: 5,
          type: 'text/plain',
          html_url: `/plugins/tracker/attachments/${id}-f.txt`,
          html_preview_url: null,
          uri: `artifact_files/${id}`,
        },
      ],
    });
    expect(String(await api.content(id, 'dave'))).to.equal('hello');
  });

  it('is changed as a whole: what is listed stays or comes, what is not goes', async () => {
    const [a, b, c] = [await api.uploaded(), await api.uploaded(), await api.uploaded()];
    const artifact = await api.created([api.attachments(a, b)]);
    await api.changed(artifact, [api.attachments(b, c)]);
    expect(await api.held(artifact)).to.deep.equal([b, c]);
    const etag = await api.etag(artifact);
    expect(await api.changed(artifact, [api.attachments(c, b)]), 'the same again').to.equal(etag);
    await api.changed(artifact, [api.attachments()]);
    expect(await api.held(artifact)).to.deep.equal([]);
    await api.changed(artifact, [api.titled('Other')]);
    expect(await api.held(artifact)).to.deep.equal([]);
  });

  it('lets every user who may update keep the files of others', async () => {
    const [a, b] = [await api.uploaded('a', 'carol'), await api.uploaded('b', 'bob')];
    const artifact = await api.created([api.attachments(a)], { as: 'carol' });
    await api.changed(artifact, [api.attachments(a, b)], { as: 'bob' });
    expect(await api.held(artifact)).to.deep.equal([a, b]);
  });

  it('takes back what it held before, and no other artifact does', async () => {
    const id = await api.uploaded();
    const artifact = await api.created([api.attachments(id)]);
    await api.changed(artifact, [api.attachments()]);
    expect(refusal(await api.submit([api.attachments(id), api.titled('Other')]))).to.deep.equal(wrong);
    await api.changed(artifact, [api.attachments(id)], { as: 'bob' });
    expect(await api.held(artifact)).to.deep.equal([id]);
  });

  it('shows the past with its files', async () => {
    const id = await api.uploaded('kept');
    const artifact = await api.created([api.attachments(id)]);
    await api.changed(artifact, [api.attachments()]);
    const { body } = await api.get(`/artifacts/${artifact}/changesets`, { as: 'dave' });
    const first = body[0].values.find(({ type }: { type: string }) => type === 'file');
    expect(first.file_descriptions).to.have.length(1);
    expect(String(await api.content(id, 'dave'))).to.equal('kept');
  });

  it('refuses what cannot be attached', async () => {
    const own = await api.uploaded();
    const bobs = await api.uploaded('x', 'bob');
    const taken = await api.uploaded();
    const gone = await api.uploaded();
    const half = (await api.announce(5, { name: randomUUID() })).body.id as number;
    await api.created([api.attachments(taken)]);
    await api.request('DELETE', `/artifact_temporary_files/${gone}`, { as: 'carol' });
    const artifact = await api.created();
    for (const id of [bobs, taken, gone, half, 999_999]) {
      expect(refusal(await api.submit([api.attachments(id), api.titled('T')])), `${id}`).to.deep.equal(wrong);
      expect(refusal(await api.change(artifact, [api.attachments(own, id)])), `${id}`).to.deep.equal(wrong);
    }
    expect(await api.held(artifact)).to.deep.equal([]);
    await api.changed(artifact, [api.attachments(own)]);
  });

  it('takes no file twice in one artifact', async () => {
    const id = await api.uploaded('x', 'alice');
    const twice = [api.attachments(id), into('plans', id), api.titled('T')];
    expect((await api.submit(twice, { as: 'alice' })).status).to.equal(400);
    const artifact = await api.created([api.attachments(id)], { as: 'alice' });
    expect(refusal(await api.change(artifact, [into('plans', id)], { as: 'alice' }))).to.deep.equal(wrong);
  });

  it('binds by its permissions and its size', async () => {
    const id = await api.uploaded('12345', 'carol');
    const artifact = await api.created();
    expect(refusal(await api.submit([into('plans', id), api.titled('T')]))).to.deep.equal(wrong);
    expect(refusal(await api.change(artifact, [into('plans', id)]))).to.deep.equal(wrong);
    expect(refusal(await api.change(artifact, [into('icons', id)]))).to.deep.equal(wrong);
    await api.changed(artifact, [into('icons', await api.uploaded('1234'))]);
    expect((await api.change(artifact, [api.attachments(id)], { as: 'dave' })).status).to.equal(403);
  });

  it('takes a resumable upload only where it was announced for', async () => {
    const plans = api.field('bug', 'plans');
    const { body } = await api.announce(0, { as: 'alice', field: plans, name: 'plan' });
    expect(refusal(await api.submit([api.attachments(body.id), api.titled('T')], { as: 'alice' }))).to.deep.equal(
      wrong,
    );
    await api.created([into('plans', body.id)], { as: 'alice' });
  });

  it('bounds how many files come at once', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => 500_000 + index);
    expect((await api.submit([api.attachments(...ids), api.titled('T')])).status).to.equal(400);
  });

  it('leaves files as they were when the write is refused', async () => {
    const id = await api.uploaded();
    const status = api.set('status_id', { bind_value_ids: [api.value('bug', 'status_id', 'Done')] });
    expect((await api.submit([api.attachments(id)])).status, 'no title').to.equal(400);
    expect((await api.submit([api.attachments(id), api.titled('T'), status])).status, 'no such step').to.equal(400);
    const artifact = await api.created();
    expect((await api.change(artifact, [api.attachments(id), api.titled('')])).status).to.equal(400);
    const stale = { headers: { 'If-match': '"7"' } };
    expect((await api.change(artifact, [api.attachments(id)], stale)).status).to.equal(412);
    expect((await api.get(`/artifact_temporary_files/${id}`, { as: 'carol' })).status).to.equal(200);
    await api.changed(artifact, [api.attachments(id)]);
  });

  it('is written once by a request that is sent again', async () => {
    const id = await api.uploaded();
    const headers = { 'Idempotency-Key': randomUUID() };
    const values = [api.titled('Once'), api.attachments(id)];
    const tries = await Promise.all([1, 2, 3].map(() => api.submit(values, { headers })));
    expect(tries.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    expect(new Set(tries.map(({ body }) => body.id as number)).size).to.equal(1);
    expect((await api.submit(values, { headers })).body.id).to.equal(tries[0]!.body.id);
  });

  it('gives one file to exactly one of those who claim it at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await api.uploaded();
      const artifacts = [await api.created(), await api.created()];
      const tries = await Promise.all([
        ...artifacts.map((artifact) => api.change(artifact, [api.attachments(id)])),
        api.submit([api.titled('New'), api.attachments(id)]),
        api.submit([api.titled('New'), api.attachments(id)]),
      ]);
      expect(tries.filter(({ status }) => status === 400)).to.have.length(3);
      const winners = tries.filter(({ status }) => status < 300);
      expect(winners).to.have.length(1);
      const holders = [...artifacts, ...winners.flatMap(({ body }) => (body?.id as number | undefined) ?? [])];
      const held = await Promise.all(holders.map((artifact) => api.held(artifact)));
      expect(held.flat()).to.deep.equal([id]);
    }
  });

  it('gives a file to one artifact whose writers are many', async () => {
    const id = await api.uploaded();
    const artifact = await api.created();
    const tries = await Promise.all([1, 2, 3, 4].map(() => api.change(artifact, [api.attachments(id)])));
    expect(tries.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(await api.held(artifact)).to.deep.equal([id]);
  });

  it('is read by those only who may read the artifact and the field', async () => {
    const id = await api.uploaded('secret', 'alice');
    const artifact = await api.created([into('reports', id)], { as: 'alice' });
    expect(await api.shown(artifact, 'reports', 'bob')).to.equal(undefined);
    const status = async (as?: string) =>
      (await api.get(`/artifact_files/${id}`, as === undefined ? {} : { as })).status;
    expect([await status('alice'), await status('bob'), await status()]).to.deep.equal([200, 404, 404]);

    const open = await api.uploaded('open', 'alice');
    const read = await api.created([api.attachments(open)], { as: 'alice' });
    expect((await api.get(`/artifact_files/${open}`)).status).to.equal(200);
    const { body } = await api.get(`/trackers/${api.tracker('bug')}`, { as: 'alice' });
    expect(body.fields.find(({ name }: { name: string }) => name === 'attachments')).to.include({
      file_creation_uri: `tracker_fields/${api.field('bug', 'attachments')}/files`,
      max_size_upload: 67_108_864,
    });
    await api.changed(read, [api.set('readers', { value: { granted_groups: ['101_4'] } })], { as: 'alice' });
    const unseen = async (as?: string) =>
      (await api.get(`/artifact_files/${open}`, as === undefined ? {} : { as })).status;
    expect([await unseen('alice'), await unseen('carol'), await unseen()]).to.deep.equal([200, 404, 404]);
  });

  it('of a deleted artifact is read by those only who may read its history and the field', async () => {
    const [open, secret] = [await api.uploaded('open', 'alice'), await api.uploaded('secret', 'alice')];
    const artifact = await api.created([api.attachments(open), into('reports', secret)], { as: 'alice' });
    await api.changed(artifact, [api.attachments()], { as: 'alice' });
    await api.deleted(artifact);

    const { body } = await api.get(`/artifacts/${artifact}?revision=0&values_format=all`, { as: 'bob' });
    const named = (body.values as Json[]).flatMap(({ file_descriptions: files = [] }) => files as Json[]);
    expect(named.map(({ id }) => id)).to.deep.equal([open]);
    const reader = (as: string) => (as === '' ? {} : { as });
    const status = async (id: number, as: string) => (await api.get(`/artifact_files/${id}`, reader(as))).status;
    const streamed = async (as: string) =>
      (await api.raw('GET', String(named[0]?.['html_url']), { as: as === '' ? null : as })).status;
    for (const [as, ofOpen, ofSecret] of [
      ['alice', 200, 200],
      ['bob', 200, 404],
      ['carol', 404, 404],
      ['', 404, 404],
    ] as const) {
      expect([await status(open, as), await status(secret, as), await streamed(as)], as).to.deep.equal([
        ofOpen,
        ofSecret,
        ofOpen,
      ]);
    }
    expect(refusal(await api.submit([api.attachments(open), api.titled('T')], { as: 'alice' }))).to.deep.equal(wrong);
  });

  it('has the stream of an artifact read once for all files of it that another one names', async () => {
    const files = await Promise.all(['one', 'two', 'three'].map((content) => api.uploaded(content)));
    const holder = await api.created([api.attachments(...files)]);
    const other = await api.created();
    const { log, definitions } = api.service;
    const read: StreamName[] = [];
    const ports: ArtifactPorts = {
      ...artifactPorts(api.service),
      log: {
        ...log,
        read: (stream) => {
          read.push(stream);
          return log.read(stream);
        },
      },
    };
    const change = changeArtifact(
      {
        artifactId: other,
        written: { values: [api.attachments(...files)] },
        comment: undefined,
        precondition: () => true,
      },
      ports,
      { viewer: viewer(definitions, definitions.userNamed('carol') ?? null), requestId: 'once' },
    );
    expect(await rejection(change)).to.include({ kind: 'invalid' });
    expect(read.filter((stream) => stream === artifactStream(holder))).to.have.length(1);
  });
});
