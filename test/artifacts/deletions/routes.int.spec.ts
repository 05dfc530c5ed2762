import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { NO_STREAM } from '../../../src/core/event-log.js';
import { type Answer } from '../../support/client.js';
import { allowance, freshDeletionApi, type DeletionApi } from './deletion-api.js';

const DAY_S = 24 * 60 * 60;

describe('DELETE /artifacts/<id>', () => {
  let api: DeletionApi;
  before(async () => {
    api = await freshDeletionApi();
    await api.settings({ type: 'SetDeletionLimit', limit: 50 });
  });
  after(() => api.stopAll());

  /** How many deletions a user has made, as an answer tells it. */
  const used = (answer: Answer): number => {
    const [limit, left] = allowance(answer);
    return Number(limit) - Number(left);
  };

  it('deletes: 200 without a body, and how many are left', async () => {
    const answer = await api.remove(await api.created());
    expect([answer.status, answer.body]).to.deep.equal([200, undefined]);
    expect(allowance(answer)).to.deep.equal(['50', '49']);
    expect(allowance(await api.remove(await api.created()))).to.deep.equal(['50', '48']);
  });

  it('leaves nothing of it to be found, but its history', async () => {
    const id = await api.created([api.set('remaining', { manual_value: 5 })]);
    const source = await api.created([api.set('links', { links: [{ id, type: '_is_child' }] })]);
    const target = await api.created();
    await api.changed(id, [api.set('links', { links: [{ id: target, type: '' }] })]);
    const title = `Gone ${id}`;
    await api.changed(id, [api.titled(title)]);
    const list = `/trackers/${api.tracker('bug')}/artifacts?limit=100`;
    const before = await api.get(list, { as: 'alice' });
    expect((await api.shown(source, 'remaining'))?.['value']).to.equal(5);

    expect((await api.remove(id)).status).to.equal(200);
    for (const as of ['alice', 'bob', 'carol']) expect((await api.read(id, as)).status).to.equal(404);
    expect((await api.get(`/artifacts/${id}/changesets`, { as: 'alice' })).status).to.equal(404);
    expect((await api.change(id, [])).status).to.equal(404);
    expect((await api.get(`/artifacts?query={"id":[${id}]}`, { as: 'alice' })).body.collection).to.deep.equal([]);
    const after = await api.get(list, { as: 'alice' });
    expect(after.body.map((artifact: { id: number }) => artifact.id)).not.to.include(id);
    expect(Number(after.headers.get('x-pagination-size'))).to.equal(
      Number(before.headers.get('x-pagination-size')) - 1,
    );
    const filtered = `/trackers/${api.tracker('bug')}/artifacts?query=${encodeURIComponent(JSON.stringify({ title }))}`;
    expect((await api.get(filtered, { as: 'alice' })).headers.get('x-pagination-size')).to.equal('0');
    expect(await api.links(target)).to.deep.equal({ forward: [], reverse: [] });
    expect((await api.links(source)).forward).to.deep.equal([]);
    expect((await api.shown(source, 'remaining'))?.['value'] ?? null).to.equal(null);
    expect((await api.submit([api.titled('x'), api.set('links', { links: [{ id, type: '' }] })])).status).to.equal(400);

    const { events } = await api.service.log.read<ArtifactEvent>(artifactStream(id));
    expect(events.map(({ type }) => type)).to.deep.equal([
      'ArtifactSubmitted',
      'ArtifactValuesChanged',
      'ArtifactValuesChanged',
      'ArtifactDeleted',
    ]);
    expect(events.at(-1)?.metadata.actor).to.equal(api.user('bob'));
    expect((await api.get(`/artifacts/${id}/history`, { as: 'bob' })).status).to.equal(200);
  });

  it('refuses in a fixed order, and counts no refusal', async () => {
    const id = await api.created();
    const unseen = await api.created([api.titled('x', 'case')], { tracker: 'case' });
    const before = used(await api.remove(999_999));
    expect((await api.request('DELETE', `/artifacts/${id}`)).status).to.equal(401);
    expect((await api.request('DELETE', '/artifacts/x', { as: 'bob' })).status).to.equal(400);
    for (const [wanted, as, status] of [
      [999_999, 'bob', 404],
      [unseen, 'bob', 403],
      [id, 'carol', 403],
      [id, 'dave', 403],
    ] as const) {
      const answer = await api.remove(wanted, as);
      expect(answer.status, `${wanted} ${as}`).to.equal(status);
      expect(used(answer)).to.equal(as === 'bob' ? before : 0);
    }
    expect((await api.remove(id)).status).to.equal(200);
    const again = await api.remove(id);
    expect([again.status, used(again)]).to.deep.equal([404, before + 1]);
  });

  it('heeds the conditions of its client, and counts no deletion that they refuse', async () => {
    const id = await api.created();
    await api.changed(id, [api.titled('Changed')]);
    const before = used(await api.remove(999_999));
    const under = (headers: Record<string, string>) => api.removeIf(id, headers);
    for (const headers of [
      { 'If-Match': '"0"' },
      { 'If-Match': 'W/"1"' },
      { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    ]) {
      const answer = await under(headers);
      expect([answer.status, used(answer)], JSON.stringify(headers)).to.deep.equal([412, before]);
    }
    expect((await api.removeIf(999_999, { 'If-Match': '*' })).status).to.equal(404);
    expect((await under({ 'If-Match': '"1"' })).status).to.equal(200);
    expect((await under({ 'If-Match': '"1"' })).status).to.equal(404);
  });

  it('is refused in a suspended project for every user', async () => {
    const frozen = { artifactId: 900_001, trackerId: api.tracker('ice'), values: {} };
    const event = { id: randomUUID(), type: 'ArtifactSubmitted', data: frozen };
    const metadata = { actor: null, at: '2026-01-01T00:00:00.000Z', schema: 1, commandId: 'spec' };
    await api.service.log.append(artifactStream(900_001), NO_STREAM, [event], metadata);
    const answer = await api.remove(900_001, 'alice');
    expect([answer.status, answer.body.error.message]).to.deep.equal([
      403,
      'Forbidden: The project of this tracker is suspended',
    ]);
    expect((await api.remove(900_001)).status).to.equal(403);
  });

  it('is for administrators of the tracker, the project and the site', async () => {
    expect((await api.remove(await api.created(), 'bob')).status).to.equal(200);
    expect((await api.remove(await api.created(), 'alice')).status).to.equal(200);
    const note = await api.created([], { tracker: 'note' });
    expect((await api.remove(note, 'bob')).status).to.equal(403);
    expect((await api.remove(note, 'alice')).status).to.equal(200);
  });

  it('is told among the methods of an artifact', async () => {
    const answer = await api.request('OPTIONS', '/artifacts/1');
    expect(answer.headers.get('allow')).to.equal('OPTIONS, GET, PUT, DELETE');
  });
});

describe('the limit of deletions', () => {
  let api: DeletionApi;
  beforeEach(async () => {
    api = await freshDeletionApi();
  });
  afterEach(() => api.stopAll());

  const createdMany = (count: number): Promise<readonly number[]> =>
    Promise.all(Array.from({ length: count }, () => api.created()));
  const statuses = (answers: readonly { readonly status: number }[], status: number): number =>
    answers.filter((answer) => answer.status === status).length;
  const limitTo = (limit: number) => api.settings({ type: 'SetDeletionLimit', limit });

  it('refuses every deletion if the platform allows none', async () => {
    const id = await api.created();
    await limitTo(0);
    const answer = await api.remove(id);
    expect([answer.status, allowance(answer)]).to.deep.equal([403, ['0', '0']]);
    expect((await api.read(id)).status).to.equal(200);
    expect((await api.remove(id, 'carol')).body.error.message).to.match(/administrators/);
  });

  it('stops at the limit, until the oldest is a day old, for each user apart', async () => {
    const ids = await createdMany(9);
    await limitTo(2);
    expect((await api.remove(ids[0]!)).status).to.equal(200);
    api.secondsAhead(3600);
    expect((await api.remove(ids[1]!)).status).to.equal(200);
    const refused = await api.remove(ids[2]!);
    expect([refused.status, allowance(refused)]).to.deep.equal([429, ['2', '0']]);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(DAY_S - 3700, DAY_S - 3600);
    expect(allowance(await api.remove(ids[3]!, 'alice'))).to.deep.equal(['2', '1']);

    api.secondsAhead(DAY_S - 20);
    expect((await api.remove(ids[2]!)).status).to.equal(429);
    api.secondsAhead(DAY_S + 20);
    expect(allowance(await api.remove(ids[2]!))).to.deep.equal(['2', '0']);
    const full = await api.remove(ids[4]!);
    expect(full.status).to.equal(429);
    expect(Number(full.headers.get('retry-after'))).to.be.within(3500, 3600);
    await limitTo(3);
    expect((await api.remove(ids[4]!)).status).to.equal(200);
    expect((await api.remove(999_999)).status).to.equal(404);
  });

  it('accepts exactly its number of concurrent deletions of one user', async () => {
    const ids = await createdMany(30);
    const answers = await Promise.all(ids.map((id) => api.remove(id)));
    expect([statuses(answers, 200), statuses(answers, 429)]).to.deep.equal([5, 25]);
    const left = await Promise.all(ids.map((id) => api.read(id)));
    expect([statuses(left, 404), statuses(left, 200)]).to.deep.equal([5, 25]);
    for (const answer of answers) expect(answer.headers.get('x-ratelimit-limit')).to.equal('5');
  });

  it('counts an artifact that several delete at once for one of them', async () => {
    await limitTo(1);
    const id = await api.created();
    const answers = await Promise.all(['alice', 'bob', 'alice', 'bob'].map((as) => api.remove(id, as)));
    expect(statuses(answers, 200)).to.be.within(1, 2);
    const other = await api.created();
    const [alice, bob] = [await api.remove(other, 'alice'), await api.remove(await api.created(), 'bob')];
    expect([alice.status, bob.status].sort()).to.deep.equal([200, 429]);
    const { events } = await api.service.log.read<ArtifactEvent>(artifactStream(id));
    expect(events.filter(({ type }) => type === 'ArtifactDeleted')).to.have.length(1);
  });
});
