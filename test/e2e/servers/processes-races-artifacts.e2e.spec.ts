import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { MAX_RESUMABLE_UPLOADS } from '../../../src/core/bounds.js';
import { type Recorded } from '../../../src/core/event-log.js';
import { type Answer } from '../../support/client.js';
import { onStandIn } from '../../support/mongodb/for-each-mongodb.js';
import { type Environment, type ServiceProcess } from '../../support/process.js';
import { agreesWithLog } from './naive-fold.js';
import { halfEach, processes, started, tally, type Names, type Processes } from './processes.js';

type Json = Readonly<Record<string, unknown>>;

const MEGABYTE = 1_048_576;
const QUOTA = 64 * MEGABYTE;

onStandIn('mongo-java-server', 'two processes that are asked for the same at once', () => {
  let them: Processes;
  let apis: readonly [ServiceProcess, ServiceProcess];
  let names: Names;
  let filesDir: string;
  before(async () => {
    them = await processes();
    filesDir = join(them.directory, 'files');
    const begun = await started(them, ['api', 'api', 'worker'], { PLATFORM_FILE: platform(), FILES_DIR: filesDir });
    ({ names } = begun);
    const [one, other] = begun.services;
    apis = [one, other];
  });
  after(() => them.close());

  /** Few deletions, and somebody beside bob who may make them. */
  const platform = (): string => {
    const file = join(them.directory, 'few-deletions.yaml');
    const text = readFileSync(them.platformFile, 'utf8');
    const changed = text
      .replace('deletion_limit: 100', 'deletion_limit: 5')
      .replace('admins: [bob]', 'admins: [bob, carol]');
    writeFileSync(file, changed);
    return file;
  };
  const set = (name: string, parts: Json): Json => ({ field_id: names.field(name), ...parts });
  const titled = (value: string): Json => set('title', { value });
  const submit = (service: ServiceProcess, values: readonly Json[], headers: Environment = {}): Promise<Answer> =>
    service.post('/artifacts', { as: 'carol', headers, body: { tracker: { id: names.tracker }, values } });
  const created = async (service: ServiceProcess, ...values: readonly Json[]): Promise<number> => {
    const { status, body } = await submit(service, [titled('Crash'), ...values]);
    expect(status, JSON.stringify(body)).to.equal(201);
    return Number(body.id);
  };
  const change = (service: ServiceProcess, id: number, values: readonly Json[]): Promise<Answer> =>
    service.put(`/artifacts/${id}`, { as: 'carol', body: { values } });
  const remove = (service: ServiceProcess, id: number, as: string): Promise<Answer> =>
    service.request('DELETE', `/artifacts/${id}`, { as });
  const shown = async (service: ServiceProcess, id: number, name: string): Promise<Json> => {
    const { status, body } = await service.get(`/artifacts/${id}`, { as: 'carol' });
    expect(status).to.equal(200);
    return (body.values as Json[]).find((element) => element['field_id'] === names.field(name)) ?? {};
  };
  const idsIn = (list: unknown): readonly unknown[] => (list as readonly Json[]).map(({ id }) => id);
  const start = (service: ServiceProcess, content: Uint8Array, as = 'carol'): Promise<Answer> => {
    const body = { name: 'f.txt', mimetype: 'text/plain', description: '', content: base64(content) };
    return service.post('/artifact_temporary_files', { as, body });
  };
  const base64 = (content: Uint8Array): string => Buffer.from(content).toString('base64');
  const typesIn = (events: readonly Recorded[]): readonly string[] => events.map(({ type }) => type);

  it('answer one of several deletions of an artifact with 200, and count it for that user alone', async () => {
    const id = await created(apis[0]);
    const users = ['alice', 'alice', 'carol', 'carol'];
    const answers = await halfEach(8, apis, (service, index) => remove(service, id, users[index % 4]!));
    expect(tally(answers)).to.deep.equal({ 200: 1, 404: 7 });
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [users[index % 4]] : []));

    const { events } = await them.log.read(artifactStream(id));
    expect(typesIn(events)).to.deep.equal(['ArtifactSubmitted', 'ArtifactDeleted']);
    const left = await Promise.all(
      ['alice', 'carol'].map(async (as) => {
        const { status, headers } = await remove(apis[0], await created(apis[1]), as);
        expect(status).to.equal(200);
        return [as === winners[0] ? 'winner' : 'other', headers.get('x-ratelimit-remaining')];
      }),
    );
    expect(Object.fromEntries(left)).to.deep.equal({ winner: '3', other: '4' });
  });

  it('accept exactly the limit of deletions of one user', async () => {
    const ids = await halfEach(30, apis, (service) => created(service));
    const answers = await halfEach(30, [apis[1], apis[0]], (service, index) => remove(service, ids[index]!, 'bob'));
    expect(tally(answers)).to.deep.equal({ 200: 5, 429: 25 });
    for (const { headers } of answers) expect(headers.get('x-ratelimit-limit')).to.equal('5');
    const read = await halfEach(30, apis, (service, index) => service.get(`/artifacts/${ids[index]}`, { as: 'carol' }));
    expect(tally(read)).to.deep.equal({ 200: 25, 404: 5 });
  });

  it('show through the one a file that came through both, which stands in their directory', async () => {
    const [first, second] = [Buffer.alloc(1000, 'a'), Buffer.alloc(500, 'b')];
    const begun = await start(apis[0], first);
    expect(begun.status).to.equal(201);
    const id = begun.body.id as number;
    const more = { as: 'carol', body: { offset: 2, content: base64(second) } };
    expect((await apis[1].put(`/artifact_temporary_files/${id}`, more)).status).to.equal(200);
    await created(apis[0], set('attachments', { value: [id] }));
    const whole = Buffer.concat([first, second]);
    for (const service of apis) {
      const { status, body } = await service.get(`/artifact_files/${id}`, { as: 'carol' });
      expect([status, body.data]).to.deep.equal([200, base64(whole)]);
      const url = `${service.url}/plugins/tracker/attachments/${id}-f.txt`;
      const download = await fetch(url, { headers: await service.signIn('carol') });
      expect(download.status).to.equal(200);
      expect(Buffer.from(await download.arrayBuffer()).equals(whole)).to.equal(true);
    }
    for (const chunk of [first, second]) {
      const digest = createHash('sha256').update(chunk).digest('hex');
      const { size } = await stat(join(filesDir, digest.slice(0, 2), digest.slice(2)));
      expect(size).to.equal(chunk.length);
    }
    const collections = await them.db.listCollections().toArray();
    expect(collections.map(({ name }) => name).filter((name) => /\.(files|chunks)$/.test(name))).to.deep.equal([]);
  });

  it('refuse what is larger than its bound, and give the files with it to who asks next', async () => {
    const { body: file } = await start(apis[0], Buffer.from('not lost'));
    const attached = set('attachments', { value: [file.id] });
    const much = set('secret', { value: 'x'.repeat(65_536) });
    const { status, body } = await submit(apis[0], [titled('Much'), much, attached]);
    expect(status).to.equal(400);
    expect(body.error).to.have.property('message').that.includes('65535 bytes');
    await created(apis[1], attached);
  });

  it('attach one file to exactly one of the artifacts that claim it', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { body } = await start(apis[0], Buffer.from(`claimed ${round}`));
      const id = body.id as number;
      const artifacts = await halfEach(4, apis, (service) => created(service));
      const attachments = set('attachments', { value: [id] });
      const answers = await halfEach(8, [apis[1], apis[0]], (service, index) =>
        index < 4 ? change(service, artifacts[index]!, [attachments]) : submit(service, [titled('New'), attachments]),
      );
      const winners = answers.filter(({ status }) => status < 300);
      expect(winners).to.have.length(1);
      expect(tally(answers)).to.include({ 400: 7 });
      const holders = [...artifacts, ...winners.flatMap((won) => (won.body?.id as number | undefined) ?? [])];
      const held = await Promise.all(holders.map((artifact) => shown(apis[1], artifact, 'attachments')));
      const files = held.flatMap(({ file_descriptions: descriptions }) => idsIn(descriptions ?? []));
      expect(files).to.deep.equal([id]);
    }
  });

  it('never let one user beyond the quota', async () => {
    const content = Buffer.alloc(MEGABYTE, 1);
    const answers = await halfEach(72, apis, (service) => start(service, content, 'dave'));
    expect(tally(answers)).to.deep.equal({ 201: 64, 400: 8 });
    for (const service of apis) {
      const { headers } = await service.get('/artifact_temporary_files', { as: 'dave' });
      expect([headers.get('x-disk-usage'), headers.get('x-quota')]).to.deep.equal([String(QUOTA), String(QUOTA)]);
      expect((await start(service, Buffer.from('x'), 'dave')).status).to.equal(400);
    }
    let [last] = answers.filter(({ status }) => status === 201);
    for (let round = 0; round < 6; round += 1) {
      const path = `/artifact_temporary_files/${last?.body.id}`;
      expect((await apis[round % 2]!.request('DELETE', path, { as: 'dave' })).status).to.equal(200);
      const two = await halfEach(2, apis, (service) => start(service, content, 'dave'));
      expect(tally(two)).to.deep.equal({ 201: 1, 400: 1 });
      last = two.find(({ status }) => status === 201);
    }
  });

  it('never let one user announce more uploads than one may have', async () => {
    const path = `/tracker_fields/${names.field('attachments')}/files`;
    const answers = await halfEach(MAX_RESUMABLE_UPLOADS + 8, apis, (service, index) =>
      service.post(path, {
        as: 'carol',
        body: { name: `${index}`, file_size: 1, file_type: 'text/plain', description: '' },
      }),
    );
    expect(tally(answers)).to.deep.equal({ 200: MAX_RESUMABLE_UPLOADS, 409: 8 });
  });

  it('make one value of a label that many add to an open list', async () => {
    for (let round = 0; round < 4; round += 1) {
      const tags = set('tags', { bind_value_ids: [`found by all ${round}`, 'urgent'] });
      const artifacts = await halfEach(10, apis, (service) => created(service, tags));
      const values = await halfEach(10, [apis[1], apis[0]], async (service, index) => {
        const { bind_value_ids: labels, bind_value_objects: objects } = await shown(service, artifacts[index]!, 'tags');
        expect(labels).to.deep.equal([`found by all ${round}`, 'urgent']);
        return idsIn(objects)[0];
      });
      expect(values).to.deep.equal(Array.from({ length: 10 }, () => `o${round + 1}`));
    }
  });

  it('take one of several bodies that come with one Idempotency-Key', async () => {
    for (let round = 0; round < 4; round += 1) {
      const headers = { 'Idempotency-Key': randomUUID() };
      const answers = await halfEach(8, apis, (service, index) => submit(service, [titled(`Body ${index}`)], headers));
      expect(tally(answers)).to.deep.equal({ 201: 1, 409: 7 });
      const winner = answers.findIndex(({ status }) => status === 201);
      const id = Number(answers[winner]?.body.id);
      for (const service of apis) {
        expect((await shown(service, id, 'title'))['value']).to.equal(`Body ${winner}`);
        const again = await submit(service, [titled(`Body ${winner}`)], headers);
        expect([again.status, again.body.id]).to.deep.equal([201, id]);
      }
    }
  });

  it('link a parent to all of many that name it', async () => {
    const above = await created(apis[0]);
    const parent = set('links', { parent: { id: above } });
    const children = await halfEach(12, apis, (service) => created(service, parent));
    for (const service of apis) {
      const { links } = await shown(service, above, 'links');
      expect([...idsIn(links)].sort()).to.deep.equal([...children].sort());
      const { headers } = await service.get(`/artifacts/${above}`, { as: 'carol' });
      expect(headers.get('etag')).to.equal('"12"');
    }
  });

  it('leave read models that are a fold of the log', () => agreesWithLog(them.db, them.log));
});
