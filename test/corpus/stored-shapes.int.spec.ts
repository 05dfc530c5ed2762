import { expect } from 'chai';
import { type Recorded } from '../../src/core/event-log.js';
import { artifactApi, type ArtifactApi } from '../artifacts/artifact-api.js';
import { corpus, shapeOf } from './corpus.js';

const known = new Map<string, Set<string>>();
for (const { type, data } of [...corpus.values()].flat()) {
  const shapes = known.get(type) ?? new Set();
  known.set(type, shapes);
  for (const shape of shapeOf(data)) shapes.add(shape);
}

describe('the events that a service stores', () => {
  let api: ArtifactApi;

  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const everything = async (): Promise<readonly Recorded[]> => {
    const stored: Recorded[] = [];
    for await (const { events } of api.service.log.readAll(null, [])) stored.push(...events);
    return stored;
  };

  it('have no member, and no type of a member, that the corpus does not hold', async () => {
    const target = await api.created([api.set('tags', { bind_value_ids: ['new'] })]);
    const id = await api.created([
      api.set('description', { value: { content: '**bold**', format: 'commonmark' } }),
      api.set('status_id', { bind_value_ids: [api.value('bug', 'status_id', 'New')] }),
      api.set('due', { value: '2026-03-05' }),
      api.set('effort', { value: 1.5 }),
      api.set('links', { links: [{ id: target, type: 'fixed_in' }] }),
    ]);
    const comment = { body: 'Looked at', format: 'text' };
    await api.changed(id, [api.set('description', { value: { content: '<p>x</p>', format: 'html' } })], { comment });
    await api.submit([api.titled('Once')], { headers: { 'Idempotency-Key': 'once' } });
    const content = Buffer.from('hello').toString('base64');
    const upload = { name: 'a.txt', mimetype: 'text/plain', content, description: '' };
    const file = await api.post('/artifact_temporary_files', { as: 'carol', body: upload });
    expect(file.status, JSON.stringify(file.body)).to.equal(201);
    await api.created([api.set('attachments', { value: [file.body.id] })]);
    expect((await api.request('DELETE', `/artifacts/${target}`, { as: 'bob' })).status).to.equal(200);
    const key = await api.post('/access_keys', { as: 'carol', body: { description: 'script' } });
    expect((await api.get('/users/self', { headers: { 'X-Auth-AccessKey': key.body.identifier } })).status).to.equal(
      200,
    );
    await api.request('DELETE', '/tokens', { as: 'dave' });

    const stored = await everything();
    const unknown = stored.flatMap(({ type, data }) =>
      shapeOf(data).flatMap((shape) => (known.get(type)?.has(shape) === true ? [] : [`${type}${shape}`])),
    );
    expect([...new Set(unknown)], 'add a line to test/corpus for each new shape').to.deep.equal([]);
    expect(new Set(stored.map(({ type }) => type)).size).to.be.greaterThan(15);
  });
});
