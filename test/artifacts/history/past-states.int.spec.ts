import { expect } from 'chai';
import { artifactApi, elementsOf, refusal, type ArtifactApi, type Json } from '../artifact-api.js';

const AUTO = { is_autocomputed: true };

describe('A past state of an artifact', () => {
  let api: ArtifactApi;
  let child: number;
  let parent: number;
  before(async () => {
    api = await artifactApi();
    child = await api.created([api.set('remaining', { manual_value: 5 })]);
    parent = await api.created([api.set('remaining', AUTO), linkTo(child)]);
    await api.changed(parent, [api.set('remaining', { manual_value: 3 })]);
    await api.changed(parent, [api.set('remaining', AUTO)]);
    await api.changed(child, [api.set('remaining', { manual_value: 8 })]);
    await api.created([linkTo(parent)]);
  });
  after(() => api.stop());

  const linkTo = (id: number) => api.set('links', { links: [{ id, type: '_is_child' }] });
  const at = async (id: number, revision: number): Promise<readonly Json[]> =>
    elementsOf(await api.get(`/artifacts/${id}?revision=${revision}&values_format=all`));
  const changesets = async (id: number): Promise<readonly (readonly Json[])[]> =>
    (await api.get(`/artifacts/${id}/changesets`)).body.map(({ values }: { values: readonly Json[] }) => values);
  const part = (values: readonly Json[], name: string) =>
    values.find(({ field_id: field }) => field === api.field('bug', name));

  it('has no sum of what the children hold today, and the number that was set by hand', async () => {
    const states = await Promise.all([0, 1, 2].map((revision) => at(parent, revision)));
    expect(states.map((values) => part(values, 'remaining'))).to.have.length(3);
    for (const revision of [0, 2]) {
      expect(part(states[revision]!, 'remaining')).to.include({ ...AUTO, value: null, manual_value: null });
    }
    expect(part(states[1]!, 'remaining')).to.include({ is_autocomputed: false, value: null, manual_value: 3 });
  });

  it('leaves the sum out by field name, too', async () => {
    const { body } = await api.get(`/artifacts/${parent}?revision=0&values_format=by_field`);
    expect(body.values_by_field.remaining).to.include({ ...AUTO, value: null });
  });

  it('is the same as a changeset and as a revision', async () => {
    const states = await Promise.all([0, 1, 2].map((revision) => at(parent, revision)));
    expect(await changesets(parent)).to.deep.equal(states);
    expect(part(states[0]!, 'links')).to.deep.include({ reverse_links: [] });
  });

  it('is of an instant that is read as it is written; others are refused', async () => {
    const atInstant = (at: string) => api.get(`/artifacts/${parent}?at=${encodeURIComponent(at)}`);
    expect((await atInstant('2999-12-31T23:59:59Z')).status).to.equal(200);
    for (const wrong of ['2999-12-31T23:59:59+01', '2999-12-31T23:59:60Z', '0050-03-05 10:11:12Z']) {
      expect(refusal(await atInstant(wrong)), wrong).to.deep.equal({ status: 400, pointers: ['at'] });
    }
  });

  it('takes nothing from the present state', async () => {
    await at(parent, 2);
    const { forward, reverse } = await api.links(parent);
    expect([forward.length, reverse.length]).to.deep.equal([1, 1]);
    expect((await api.shown(parent, 'remaining'))?.['value']).to.equal(8);
  });

  it('can be sent back, because it has no links to artifacts that were deleted since; the history names them', async () => {
    const gone = await api.created();
    const id = await api.created([linkTo(gone)]);
    await api.deleted(gone);
    const values = await at(id, 0);
    expect(part(values, 'links')).to.deep.include({ links: [] });
    expect(part((await changesets(id))[0]!, 'links')).to.deep.include({ links: [] });
    const { status, headers } = await api.change(id, values);
    expect([status, headers.get('etag')]).to.deep.equal([200, '"0"']);
    const { body } = await api.get(`/artifacts/${id}/history`);
    expect(JSON.stringify(body[0].changes)).to.include(JSON.stringify([{ id: gone, type: '_is_child' }]));
  });
});
