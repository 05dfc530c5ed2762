import { expect } from 'chai';
import { changesetPage } from '../../../src/artifacts/queries.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { turns } from '../../support/turns.js';
import { artifactApi, elementsOf, pageHeaders, refusal, type ArtifactApi, type Json } from '../artifact-api.js';

describe('the changesets of an artifact', () => {
  let api: ArtifactApi;
  let id: number;
  before(async () => {
    api = await artifactApi();
    id = await api.created([api.set('effort', { value: 1 })]);
    await api.changed(id, [api.set('effort', { value: 2 })], { comment: { body: 'a *b*' }, as: 'bob' });
    await api.changed(id, [api.set('secret', { value: 'hush' })]);
    await api.changed(id, [], { comment: { body: '<b>x</b>\ny', format: 'text' } });
  });
  after(() => api.stop());

  const get = (query = '', as: string | undefined = 'carol') =>
    api.get(`/artifacts/${id}/changesets${query}`, { ...(as && { as }) });
  const ids = (body: readonly Json[]) => body.map(({ id: changeset }) => changeset);

  it('are read while others have their turn between the artifact, its log and what comes of it', async () => {
    const { service } = api;
    const reading = { ...service, viewer: viewer(service.definitions, null) };
    const loop = turns();
    const { total } = await changesetPage(id, { fields: 'all', order: 'asc', limit: 50, offset: 0 }, reading);
    loop.stop();
    expect(total).to.equal(3);
    expect(loop.count()).to.be.at.least(2);
  });

  it('are listed oldest first, with the members that clients parse', async () => {
    const answer = await get();
    expect(answer.status).to.equal(200);
    expect(pageHeaders(answer)).to.deep.equal([10, 0, 3, 50]);
    const [first, second] = answer.body as Json[];
    expect(first).to.have.all.keys(
      'id',
      'submitted_by',
      'submitted_by_details',
      'submitted_on',
      'email',
      'last_comment',
      'values',
      'last_modified_by',
      'last_modified_date',
    );
    expect(first).to.deep.include({
      submitted_by: api.user('carol'),
      email: null,
      last_comment: { body: '', post_processed_body: '', format: 'text', ugroups: null },
    });
    expect(first?.['submitted_by_details']).to.deep.equal((await api.read(id)).body.submitted_by_user);
    expect(first?.['last_modified_by']).to.deep.equal(first?.['submitted_by_details']);
    expect(first?.['submitted_on']).to.equal((await api.read(id)).body.submitted_on);
    expect(first?.['last_modified_date']).to.equal(first?.['submitted_on']);
    expect(second).to.deep.include({
      submitted_by: api.user('bob'),
      last_comment: {
        body: '<p>a <em>b</em></p>\n',
        post_processed_body: '<p>a <em>b</em></p>\n',
        format: 'html',
        commonmark: 'a *b*',
        ugroups: null,
      },
    });
  });

  it('each hold the whole state after them', async () => {
    const effort = api.field('bug', 'effort');
    const { body } = await get();
    const states = (body as { values: Json[] }[]).map(({ values }) =>
      values.find((each) => each['field_id'] === effort),
    );
    expect(states.map((state) => state?.['value'])).to.deep.equal([1, 2, 2]);
  });

  it('leave out a changeset of unreadable fields alone', async () => {
    expect((await get()).body as Json[]).to.have.lengthOf(3);
    const all = await get('', 'alice');
    expect(all.body).to.have.lengthOf(4);
    expect(pageHeaders(all)).to.deep.equal([10, 0, 4, 50]);
    expect(JSON.stringify((await get()).body)).not.to.include('hush');
  });

  it('can be limited to comments, without values', async () => {
    const answer = await get('?fields=comments');
    expect((answer.body as Json[]).map(({ values }) => values)).to.deep.equal([[], []]);
    expect(pageHeaders(answer)).to.deep.equal([10, 0, 2, 50]);
    expect((answer.body as { last_comment: Json }[])[1]?.last_comment).to.deep.equal({
      body: '<b>x</b>\ny',
      post_processed_body: '&lt;b&gt;x&lt;/b&gt;<br />\ny',
      format: 'text',
      ugroups: null,
    });
  });

  it('come in pages and in both orders', async () => {
    const all = ids((await get()).body as Json[]);
    expect(new Set(all).size).to.equal(3);
    expect(ids((await get('?order=desc')).body as Json[])).to.deep.equal(all.toReversed());
    const page = await get('?limit=1&offset=1&order=desc');
    expect(ids(page.body as Json[])).to.deep.equal([all[1]]);
    expect(pageHeaders(page)).to.deep.equal([1, 1, 3, 50]);
    expect((await get('?offset=50')).body).to.deep.equal([]);
  });

  it('refuse unknown parameters', async () => {
    for (const [query, pointer] of [
      ['limit=51', 'limit'],
      ['limit=0', 'limit'],
      ['limit=-1', 'limit'],
      ['limit=x', 'limit'],
      ['offset=-1', 'offset'],
      ['order=up', 'order'],
      ['fields=some', 'fields'],
    ] as const) {
      expect(refusal(await get(`?${query}`)), query).to.deep.equal({ status: 400, pointers: [pointer] });
    }
  });

  it('end with what the artifact shows', async () => {
    const last = (await get('', 'alice')).body.at(-1) as Json;
    expect(last['values']).to.deep.equal(elementsOf(await api.read(id, 'alice')));
  });

  it('are open to anonymous readers of a public artifact', async () => {
    const { status, body } = await get('', '');
    expect([status, (body as Json[]).length]).to.deep.equal([200, 3]);
    expect(JSON.stringify(body)).not.to.include('@example.org');
  });
});
