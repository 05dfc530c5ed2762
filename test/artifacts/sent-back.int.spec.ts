import { expect } from 'chai';
import { artifactApi, type ArtifactApi, type Json } from './artifact-api.js';

describe('an artifact sent back as it was read', () => {
  let api: ArtifactApi;
  let id: number;
  before(async () => {
    api = await artifactApi();
    const linked = await api.created();
    const members = `${api.service.definitions.projectNamed('hydra')!.id}_3`;
    id = await api.created(
      [
        api.set('description', { value: { content: '*as* read', format: 'commonmark' } }),
        api.set('assigned_to', { bind_value_ids: [api.user('bob'), api.user('carol')] }),
        api.set('tags', { bind_value_ids: ['urgent', 'of my own'] }),
        api.set('severity', { bind_value_ids: [api.value('bug', 'severity', 'Major')] }),
        api.set('team', { bind_value_ids: ['101_4'] }),
        api.set('remaining', { is_autocomputed: true }),
        api.set('points', { value: 5 }),
        api.set('effort', { value: 1.5 }),
        api.set('due', { value: '2026-03-05' }),
        api.set('meeting', { value: '2026-03-05T10:11:00Z' }),
        api.set('links', { links: [{ id: linked, type: 'fixed_in' }] }),
        api.set('readers', { value: { granted_groups: [members] } }),
      ],
      { as: 'bob' },
    );
  });
  after(() => api.stop());

  for (const as of ['alice', 'bob', 'carol']) {
    it(`is not changed, although ${as} may read and write only parts of it`, async () => {
      const { headers, body } = await api.read(id, as);
      const answer = await api.put(`/artifacts/${id}`, {
        as,
        body,
        headers: { 'If-match': headers.get('etag')! },
      });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      expect(answer.headers.get('etag')).to.equal(headers.get('etag'));
    });
  }

  it('is not changed by a client that sends null for each member that it leaves out', async () => {
    const { headers, body } = await api.read(id, 'alice');
    const nulls = Object.fromEntries(
      ['value', 'format', 'commonmark', 'links', 'parent', 'all_links', 'is_autocomputed', 'manual_value'].map(
        (member) => [member, null],
      ),
    );
    const values = (body.values as readonly Json[]).map((element) => ({ ...nulls, ...element }));
    const answer = await api.put(`/artifacts/${id}`, { as: 'alice', body: { ...body, values } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.headers.get('etag')).to.equal(headers.get('etag'));
  });

  it('is not changed where its texts are sent without their formats', async () => {
    for (const format of ['text', 'html', 'commonmark']) {
      const content = `# 1 of *2* in ${format}`;
      const made = await api.created([api.set('description', { value: { content, format } })]);
      for (const value of [content, { content }]) {
        expect(await api.changed(made, [api.set('description', { value })]), format).to.equal('"0"');
      }
    }
  });

  it('is not changed where its open list is sent as objects, with no labels beside them', async () => {
    const { headers } = await api.read(id, 'bob');
    const { bind_value_objects: objects } = (await api.shown(id, 'tags', 'bob'))!;
    const tags = api.set('tags', { value: { bind_value_objects: objects }, bind_value_ids: [] });
    expect(await api.changed(id, [tags], { as: 'bob' })).to.equal(headers.get('etag'));
  });

  it('is not changed where its number set by hand is sent beside null', async () => {
    const made = await api.created([api.set('remaining', { manual_value: 5 })]);
    const same = api.set('remaining', { is_autocomputed: null, value: null, manual_value: 5 });
    expect(await api.changed(made, [same])).to.equal('"0"');
  });

  it('is changed only where it was changed in between', async () => {
    const { body } = await api.read(id, 'carol');
    const effort = body.values.find(
      ({ field_id: field }: { field_id: number }) => field === api.field('bug', 'effort'),
    );
    effort.value = 2.5;
    expect((await api.put(`/artifacts/${id}`, { as: 'carol', body })).status).to.equal(200);
    const { body: history } = await api.get(`/artifacts/${id}/history?order=desc&limit=1`, { as: 'carol' });
    expect(history[0].changes.map(({ name }: { name: string }) => name)).to.deep.equal(['effort']);
  });

  it('is refused where it names another artifact', async () => {
    const { status, body } = await api.change(id, [api.set('id', { value: id + 1 })]);
    expect(status).to.equal(400);
    expect(body.error.message).to.include('Id');
  });
});
