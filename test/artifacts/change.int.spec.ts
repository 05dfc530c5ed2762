import { expect } from 'chai';
import { exportedText } from '../../src/platform-file/export/exported-text.js';
import { artifactApi, refusal, type ArtifactApi } from './artifact-api.js';

describe('changing an artifact', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const status = (label: string) => api.set('status_id', { bind_value_ids: [api.value('bug', 'status_id', label)] });
  const put = (id: number | string, body: unknown, as: string | undefined = 'carol') =>
    api.put(`/artifacts/${id}`, { ...(as && { as }), body });

  it('answers with an empty body and the new validators', async () => {
    const id = await api.created();
    const answer = await api.change(id, [api.titled('Crash again')]);
    expect([answer.status, answer.body]).to.deep.equal([200, undefined]);
    expect(answer.headers.get('etag')).to.equal('"1"');
    expect(answer.headers.get('content-type')).to.equal(null);
    const { headers, body } = await api.read(id);
    expect(headers.get('etag')).to.equal('"1"');
    expect(headers.get('last-modified')).to.equal(answer.headers.get('last-modified'));
    expect(body.title).to.equal('Crash again');
  });

  it('keeps the fields that are not named, and names the last author', async () => {
    const id = await api.created([api.set('effort', { value: 2 })]);
    await api.changed(id, [api.titled('Second')], { as: 'bob' });
    expect((await api.shown(id, 'effort'))?.['value']).to.equal(2);
    expect((await api.read(id)).body).to.include({
      submitted_by: api.user('carol'),
      last_update_by: api.user('bob'),
    });
  });

  it('changes nothing when nothing changes: the same Etag, no event', async () => {
    const id = await api.created([
      api.set('effort', { value: 2 }),
      api.set('tags', { bind_value_ids: ['urgent', 'later'] }),
    ]);
    const before = (await api.read(id)).headers;
    const same = [
      api.titled('Crash'),
      api.set('effort', { value: '2.0' }),
      api.set('tags', { bind_value_ids: ['later', 'urgent'] }),
    ];
    for (const values of [same, []]) {
      const { status: code, headers } = await api.change(id, values, { as: 'bob' });
      expect(code).to.equal(200);
      expect(headers.get('etag')).to.equal('"0"');
      expect(headers.get('last-modified')).to.equal(before.get('last-modified'));
    }
    expect((await api.service.log.read(`artifact-${id}`)).revision).to.equal(0);
  });

  it('may only comment', async () => {
    const id = await api.created();
    expect(await api.changed(id, [], { comment: { body: 'Seen', format: 'text' } })).to.equal('"1"');
    for (const comment of [null, {}, { body: '' }, { body: '', format: 'text' }, { body: ' \n\t ', format: 'html' }]) {
      expect(await api.changed(id, [], { comment }), JSON.stringify(comment)).to.equal('"1"');
    }
    expect(await api.changed(id, [api.titled('Crash')], { comment: { body: 'Same title' } })).to.equal('"2"');
  });

  it('keeps a comment without the white space around it', async () => {
    const id = await api.created();
    await api.changed(id, [], { comment: { body: ' \n Seen  twice\n', format: 'text' } });
    const { body } = await api.get(`/artifacts/${id}/changesets?fields=comments`, { as: 'carol' });
    expect(body.map(({ last_comment: { body } }: { last_comment: { body: string } }) => body)).to.deep.equal([
      'Seen  twice',
    ]);
  });

  it('refuses a comment that is none, or too long', async () => {
    const id = await api.created();
    const comment = (given: unknown) => api.change(id, [api.titled('Other')], { comment: given });
    expect(refusal(await comment('Seen')).pointers).to.deep.equal(['/comment']);
    expect(refusal(await comment({ body: 1 })).pointers).to.deep.equal(['/comment/body']);
    expect(refusal(await comment({ body: 'é'.repeat(32_768) }))).to.deep.equal({
      status: 400,
      pointers: ['/comment/body'],
    });
    expect(await api.etag(id)).to.equal('"0"');
    expect((await comment({ body: 'é'.repeat(32_767), format: 'odd' })).status).to.equal(200);
  });

  it('refuses a comment for some groups alone, since every reader would see it', async () => {
    const id = await api.created();
    const comment = (ugroups: unknown) => api.change(id, [], { comment: { body: 'Seen', ugroups } });
    for (const groups of [['101'], [{ id: '101' }], 'devs', {}]) {
      const answer = refusal(await comment(groups));
      expect(answer, JSON.stringify(groups)).to.deep.equal({ status: 400, pointers: ['/comment/ugroups'] });
    }
    for (const groups of [null, []]) expect((await comment(groups)).status).to.equal(200);
  });

  it('needs values, and ignores unknown members', async () => {
    const id = await api.created();
    expect(refusal(await put(id, {}))).to.deep.equal({ status: 400, pointers: ['/values'] });
    expect(refusal(await put(id, { values: null })).pointers).to.deep.equal(['/values']);
    expect(refusal(await put(id, { values: {} })).pointers).to.deep.equal(['/values']);
    expect(refusal(await put(id, '')).pointers).to.deep.equal(['/values']);
    const read = (await api.read(id)).body as object;
    expect((await put(id, { ...read, values: [], tracker: { id: 1 } })).status).to.equal(200);
  });

  it('refuses to empty required values, and ignores required fields that are not named', async () => {
    const id = await api.created();
    for (const value of ['', null]) {
      expect(refusal(await api.change(id, [api.titled(value)])).status).to.equal(400);
    }
    expect((await api.change(id, [api.set('effort', { value: 1 })])).status).to.equal(200);
  });

  it('takes the steps that the workflow names, and no others', async () => {
    const id = await api.created();
    await api.changed(id, [status('Open')]);
    expect(refusal(await api.change(id, [status('New')])).status).to.equal(400);
    await api.changed(id, [status('Done')]);
    expect((await api.read(id)).body).to.include({ status: 'Done', is_open: false });
    expect(refusal(await api.change(id, [api.set('status_id', { bind_value_ids: [] })])).status).to.equal(400);
  });

  it('refuses a field to those who may not update it', async () => {
    const id = await api.created([api.set('points', { value: 1 })]);
    const points = api.set('points', { value: 2 });
    expect(refusal(await api.change(id, [api.titled('b'), points]))).to.deep.equal({
      status: 400,
      pointers: ['/values/1'],
    });
    expect(await api.etag(id)).to.equal('"0"');
    await api.changed(id, [points], { as: 'alice' });
  });

  it('changes nothing when any part of it is refused', async () => {
    const id = await api.created();
    expect(refusal(await api.change(id, [api.titled('b'), api.set('effort', { value: 'x' })])).status).to.equal(400);
    expect((await api.read(id)).body.title).to.equal('Crash');
    expect(await api.etag(id)).to.equal('"0"');
  });

  it('is refused for its shape before the authentication', async () => {
    const id = await api.created();
    expect((await api.put(`/artifacts/${id}`, { body: {} })).status).to.equal(400);
    expect((await api.put('/artifacts/999999', { body: { values: 'none' } })).status).to.equal(400);
    expect((await api.put('/artifacts/999999', { body: { values: [] } })).status).to.equal(401);
  });

  it('needs a signed-in user who may update in the tracker', async () => {
    const id = await api.created([], { as: 'dave' });
    const anonymous = await api.put(`/artifacts/${id}`, { body: { values: [] } });
    expect(anonymous.status).to.equal(401);
    expect(anonymous.headers.get('www-authenticate')).to.be.a('string');
    expect(refusal(await api.change(id, [api.titled('b')], { as: 'dave' })).status).to.equal(403);
    expect((await api.change(id, [api.titled('b')], { as: 'alice' })).status).to.equal(200);
  });

  it('is 404 for an unknown id, 403 for a hidden artifact, 400 for an id that is no number', async () => {
    const hidden = await api.created([], { tracker: 'case' });
    expect(refusal(await put(999_999, { values: [] })).status).to.equal(404);
    expect(refusal(await put(hidden, { values: [] }, 'bob')).status).to.equal(403);
    expect(refusal(await put('abc', { values: [] })).status).to.equal(400);
  });

  it('checks the shape of the body before the artifact, and what is in it last', async () => {
    const hidden = await api.created([], { tracker: 'case' });
    const wrong = [{ field_id: 999_999, value: 1 }];
    const comment = { body: 'x'.repeat(65_536) };
    expect(refusal(await put(999_999, { values: 1 })).status).to.equal(400);
    expect(refusal(await put(999_999, { values: wrong, comment })).status).to.equal(404);
    expect(refusal(await put(hidden, { values: wrong, comment }, 'bob')).status).to.equal(403);
    const id = await api.created();
    const stale = { 'If-Match': '"7"' };
    expect(refusal(await api.change(id, wrong, { as: 'dave', headers: stale })).status).to.equal(403);
    expect(refusal(await api.change(id, wrong, { headers: stale, comment })).status).to.equal(412);
    expect(refusal(await api.change(id, wrong, { comment: { body: 'x' } })).status).to.equal(400);
  });

  it('follows changes of the platform file without a new sign-in', async () => {
    const own = await artifactApi();
    try {
      const id = await own.created();
      const exported = exportedText((await own.operate('export', {})) as object);
      const suspended = exported.replace(/(shortname: hydra\n[^]*?status: )active/, '$1suspended');
      expect(suspended).not.to.equal(exported);
      await own.operate('apply', { text: suspended, prune: false, env: {} });
      expect(refusal(await own.change(id, [own.titled('b')])).status).to.equal(403);
      expect(refusal(await own.change(id, [own.titled('b')], { as: 'alice' })).status).to.equal(403);
      expect((await own.read(id)).status).to.equal(403);
      expect((await own.read(id, 'alice')).status).to.equal(200);
    } finally {
      await own.stop();
    }
  });
});
