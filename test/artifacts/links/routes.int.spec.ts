import { expect } from 'chai';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';

describe('the links of an artifact', () => {
  let api: ArtifactApi;
  let parent: number;
  let child: number;
  let other: number;
  before(async () => {
    api = await artifactApi();
    [child, other] = [await api.created([]), await api.created([])];
    const links = [
      { id: child, type: '_is_child' },
      { id: other, type: '' },
    ];
    parent = await api.created([api.set('links', { links }), api.set('tags', { bind_value_ids: ['urgent', 'mine'] })]);
  });
  after(() => api.stop());

  const linked = (id: number, query: string) => api.get(`/artifacts/${id}/linked_artifacts?${query}`);
  const ids = (collection: readonly { id: number }[]): readonly number[] => collection.map(({ id }) => id);

  it('are told by type and direction, and lead to their other ends', async () => {
    const { body } = await api.get(`/artifacts/${parent}/links`);
    expect(body.natures).to.have.length(2);
    expect(body.natures[0]).to.deep.equal({
      shortname: '_is_child',
      direction: 'forward',
      label: 'Child',
      uri: `artifacts/${parent}/linked_artifacts?nature=_is_child&direction=forward`,
    });
    const { body: page } = await api.get(`/${body.natures[0].uri}`);
    expect(ids(page.collection)).to.deep.equal([child]);
    expect((await api.get(`/artifacts/${child}/links`)).body.natures[0]).to.include({
      direction: 'reverse',
      label: 'Parent',
    });
  });

  it('have whole artifacts at their other ends', async () => {
    const { body, headers } = await linked(child, 'direction=reverse&nature=_is_child');
    expect(ids(body.collection)).to.deep.equal([parent]);
    expect(body.collection[0].values).to.be.an('array');
    expect(body.collection[0].values_by_field.title).to.include({ value: 'Crash' });
    expect(headers.get('x-pagination-limit-max')).to.equal('50');
  });

  it('without a type are asked for without one', async () => {
    expect(ids((await linked(parent, 'direction=forward')).body.collection)).to.deep.equal([other]);
    expect((await linked(parent, 'direction=reverse')).body.collection).to.deep.equal([]);
  });

  it('need a direction', async () => {
    expect((await linked(parent, '')).status).to.equal(400);
    expect((await linked(parent, 'direction=sideways')).status).to.equal(400);
  });

  it('can be read as flat rows', async () => {
    const flat = await linked(child, 'direction=reverse&nature=_is_child&output_format=flat');
    expect(flat.body[0]).to.include({ title: 'Crash', id: parent, submitted_by: 'Carol Clark (carol)' });
    expect(flat.body[0].tags).to.deep.equal(['urgent', 'mine']);
    const joined = await linked(
      child,
      'direction=reverse&nature=_is_child&output_format=flat_with_semicolon_string_array',
    );
    expect(joined.body[0].tags).to.equal('urgent;mine');
  });

  it('have sums and numbers of computed fields in flat rows', async () => {
    const leaf = await api.created([api.set('remaining', { manual_value: 7 })]);
    const links = [{ id: leaf, type: '_is_child' }];
    const above = await api.created([api.set('links', { links }), api.set('remaining', { is_autocomputed: true })]);
    for (const [id, direction] of [
      [leaf, 'reverse'],
      [above, 'forward'],
    ] as const) {
      const { body } = await linked(id, `direction=${direction}&nature=_is_child&output_format=flat`);
      expect(body[0]).to.include({ remaining: 7 });
    }
  });

  it('to hidden artifacts are left out', async () => {
    const hidden = await api.submit([api.titled('Case', 'case')], { tracker: 'case' });
    const id = await api.created([api.set('links', { links: [{ id: hidden.body.id, type: 'fixed_in' }] })]);
    expect((await api.get(`/artifacts/${id}/links`)).body.natures).to.deep.equal([]);
    expect((await api.get(`/artifacts/${id}/links`, { as: 'carol' })).body.natures).to.have.length(1);
  });
});
