import { expect } from 'chai';
import { createHash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bodyDigest } from '../../../src/artifacts/idempotency/accepted-request.js';
import { requestStream, type RequestEvent } from '../../../src/artifacts/idempotency/accepted-request-events.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { artifactApi, refusal, type ArtifactApi, type Json, type WriteOptions } from '../artifact-api.js';

describe('a submission with an Idempotency-Key', () => {
  let api: ArtifactApi;
  let directory: TemporaryDirectory;
  let clock: string;
  before(async () => {
    directory = await temporaryDirectory();
    clock = join(directory.path, 'offset');
    api = await artifactApi({ env: { TEST_CLOCK_OFFSET_FILE: clock } });
  });
  after(async () => {
    await api.stop();
    await directory.remove();
  });
  beforeEach(() => writeFile(clock, '0'));

  const keyed = (key: string, title = 'Crash', options: WriteOptions = {}) =>
    api.submit([api.titled(title)], { ...options, headers: { 'Idempotency-Key': key } });
  const total = async (): Promise<number> => {
    const { headers } = await api.get(`/trackers/${api.tracker('bug')}/artifacts?limit=1`, { as: 'alice' });
    return Number(headers.get('x-pagination-size'));
  };

  it('is executed once, and answered alike each time, after any change of the artifact', async () => {
    const key = randomUUID();
    const before = await total();
    const first = await keyed(key);
    expect(first.status).to.equal(201);
    await api.changed(first.body.id, [api.titled('Changed since')]);
    await writeFile(clock, '3600');
    const again = await keyed(key);
    expect([again.status, again.body]).to.deep.equal([201, first.body]);
    for (const name of ['location', 'etag', 'last-modified']) {
      expect(again.headers.get(name), name).to.equal(first.headers.get(name));
    }
    expect(await total()).to.equal(before + 1);
  });

  it('is the same with its members in another order, and 409 with another body', async () => {
    const key = randomUUID();
    const title = api.field('bug', 'title');
    const headers = { 'Idempotency-Key': key };
    const body = { tracker: { id: api.tracker('bug') }, values: [{ field_id: title, value: 'a' }] };
    const first = await api.post('/artifacts', { as: 'carol', headers, body });
    const turned = { values: [{ value: 'a', field_id: title }], tracker: body.tracker };
    expect((await api.post('/artifacts', { as: 'carol', headers, body: turned })).body).to.deep.equal(first.body);
    const before = await total();
    expect(refusal(await keyed(key, 'b')).status).to.equal(409);
    expect(refusal(await keyed(key, '')).status).to.equal(409);
    expect(await total()).to.equal(before);
    expect((await keyed(key, 'a')).body).to.deep.equal(first.body);
  });

  it('makes one artifact for many concurrent copies, which all get this artifact', async () => {
    const key = randomUUID();
    const before = await total();
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { status, body } = await keyed(key);
        expect(status).to.equal(201);
        expect((await api.read(body.id)).status).to.equal(200);
        return body.id as number;
      }),
    );
    expect(new Set(ids).size).to.equal(1);
    expect(await total()).to.equal(before + 1);
  });

  it('makes one artifact and refuses the others when bodies differ at once', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => keyed(key, `Title ${index}`)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('leaves the key unused after a refusal', async () => {
    const key = randomUUID();
    expect(refusal(await keyed(key, '')).status).to.equal(400);
    expect(refusal(await keyed(key, 'a', { tracker: 'ice' })).status).to.equal(403);
    expect((await keyed(key, 'other')).status).to.equal(201);
  });

  it('has its key for its user alone', async () => {
    const key = randomUUID();
    const mine = await keyed(key, 'a', { as: 'carol' });
    const theirs = await keyed(key, 'b', { as: 'bob' });
    expect([mine.status, theirs.status]).to.deep.equal([201, 201]);
    expect(mine.body.id).not.to.equal(theirs.body.id);
  });

  it('is forgotten after 24 hours, not before', async () => {
    const key = randomUUID();
    const first = await keyed(key);
    await api.operate('export', {});
    await writeFile(clock, String(24 * 3600 - 60));
    const fresh = await freshUser();
    expect((await fresh(key)).body).to.deep.equal(first.body);
    await writeFile(clock, String(24 * 3600 + 60));
    const later = await freshUser();
    const second = await later(key, 'another body');
    expect(second.status).to.equal(201);
    expect(second.body.id).not.to.equal(first.body.id);
    expect((await later(key, 'another body')).body).to.deep.equal(second.body);
    expect(refusal(await later(key)).status).to.equal(409);
  });

  it('is forgotten if it was accepted while the clock was a day ahead or more', async () => {
    const key = randomUUID();
    await writeFile(clock, String(48 * 3600));
    const first = await (await freshUser())(key);
    await writeFile(clock, '0');
    const second = await keyed(key, 'another body');
    expect([first.status, second.status]).to.deep.equal([201, 201]);
    expect((await keyed(key, 'another body')).body).to.deep.equal(second.body);
  });

  /** Carol with a token of this hour: the one that the client keeps may have expired. */
  const freshUser = async () => {
    const { body } = await api.post('/tokens', { body: { username: 'carol', password: "carol's password" } });
    return (key: string, title = 'Crash', more: readonly Json[] = []) =>
      api.post('/artifacts', {
        headers: { 'X-Auth-Token': body.token, 'X-Auth-UserId': body.user_id, 'Idempotency-Key': key },
        body: { tracker: { id: api.tracker('bug') }, values: [api.titled(title), ...more] },
      });
  };

  it('has the links to its artifact written each time that its key makes one', async () => {
    const [key, parent] = [randomUUID(), await api.created()];
    const values = [api.set('links', { parent: { id: parent } })];
    const first = await (await freshUser())(key, 'Child', values);
    await writeFile(clock, String(24 * 3600 + 60));
    const second = await (await freshUser())(key, 'Child', values);
    await writeFile(clock, '0');
    expect((await api.links(parent)).forward).to.deep.equal([
      `${first.body.id} _is_child`,
      `${second.body.id} _is_child`,
    ]);
  });

  it('that was cut off once accepted is gone through again, under the same id', async () => {
    const key = randomUUID();
    const body = { tracker: { id: api.tracker('bug') }, values: [api.titled('Crash')] };
    const artifactId = await api.service.idsOf('artifact').next();
    const stream = requestStream(api.user('carol'), key);
    const at = new Date().toISOString();
    const event = { type: 'RequestAccepted', data: { artifactId, digest: bodyDigest(body), at }, id: randomUUID() };
    const metadata = { actor: api.user('carol'), at, schema: 1, commandId: randomUUID() };
    await api.service.log.append(stream, -1, [event], metadata);
    const answers = await Promise.all([keyed(key), keyed(key), keyed(key)]);
    for (const { status, body: reference } of answers) expect([status, reference.id]).to.deep.equal([201, artifactId]);
    expect((await api.read(artifactId)).body.title).to.equal('Crash');
    expect((await api.service.log.read(stream)).revision).to.equal(0);
    expect((await keyed(randomUUID())).body.id).not.to.equal(artifactId);
  });

  it('goes on where an earlier release has left off, and is answered alike each time', async () => {
    const key = randomUUID();
    const stream = requestStream(api.user('carol'), key);
    const { log } = api.service;
    for (const [revision, days] of [4, 2].entries()) {
      const at = new Date(Date.now() - days * 24 * 3600 * 1000).toISOString();
      const event = { type: 'RequestAccepted', data: { artifactId: 1, digest: 'another', at }, id: randomUUID() };
      const metadata = { actor: api.user('carol'), at, schema: 1, commandId: randomUUID() };
      await log.append(stream, revision - 1, [event], metadata);
    }
    const first = await keyed(key);
    expect(first.status).to.equal(201);
    for (let time = 0; time < 2; time += 1) expect((await keyed(key)).body).to.deep.equal(first.body);
    expect(refusal(await keyed(key, 'b')).status).to.equal(409);
    const { events } = await log.read<RequestEvent>(stream);
    expect(events.map(({ data }) => data.uses)).to.deep.equal([undefined, undefined, 3]);
    await writeFile(clock, String(24 * 3600 + 60));
    const later = await freshUser();
    const second = await later(key, 'b');
    expect(second.body.id).to.be.greaterThan(first.body.id);
    expect((await later(key, 'b')).body).to.deep.equal(second.body);
    expect((await log.read<RequestEvent>(stream, { last: 1 })).events[0]?.data.uses).to.equal(4);
  });

  it('takes keys of printable characters only', async () => {
    for (const key of ['x'.repeat(256), 'a b', '', 'é']) {
      expect(refusal(await keyed(key)), key).to.deep.equal({ status: 400, pointers: ['Idempotency-Key'] });
    }
    expect((await keyed('x'.repeat(255))).status).to.equal(201);
    expect((await keyed('~!"{}:;\\/')).status).to.equal(201);
  });

  it('needs a signed-in user all the same', async () => {
    const body = { tracker: { id: api.tracker('bug') }, values: [api.titled('a')] };
    expect((await api.post('/artifacts', { body, headers: { 'Idempotency-Key': randomUUID() } })).status).to.equal(401);
  });
});

describe('the digest of a body', () => {
  it('is the same for the same members in any order, and no other', () => {
    expect(bodyDigest({ a: 1, b: { c: [1, 2], d: null } })).to.equal(bodyDigest({ b: { d: null, c: [1, 2] }, a: 1 }));
    const bodies: readonly unknown[] = [{}, [], null, { a: 1 }, { a: '1' }, { a: [1, 2] }, { a: [2, 1] }, { a: null }];
    expect(new Set(bodies.map(bodyDigest)).size).to.equal(bodies.length);
    const odd: unknown = JSON.parse('{"__proto__":{"a":1}}');
    expect(bodyDigest(odd)).not.to.equal(bodyDigest({}));
    expect(bodyDigest({ b: 1, a: 2 })).to.equal(createHash('sha256').update('{"a":2,"b":1}').digest('hex'));
  });
});
