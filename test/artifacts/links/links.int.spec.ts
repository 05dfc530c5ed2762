import { expect } from 'chai';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { type FieldValues } from '../../../src/trackers/field-types/field-value.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, elementsOf, refusal, type ArtifactApi } from '../artifact-api.js';

describe('links between artifacts', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
  });
  after(() => api.stop());

  const links = (...given: readonly (readonly [number, string?])[]) =>
    api.set('links', { links: given.map(([id, type]) => ({ id, ...(type !== undefined && { type }) })) });
  const parent = (id: unknown) => api.set('links', { parent: { id } });
  const all = (...given: readonly (readonly [number, 'forward' | 'reverse', string])[]) =>
    api.set('links', { all_links: given.map(([id, direction, type]) => ({ id, direction, type })) });
  const inCases = { tracker: 'case' };
  const caseLinks = (...ids: readonly number[]) => api.set('links', { links: ids.map((id) => ({ id })) }, 'case');

  it('are shown at both ends, with the type and tracker of the other', async () => {
    const target = await api.created();
    const source = await api.created([links([target, '_is_child'])]);
    const [element] = elementsOf(await api.read(source)).filter(({ type }) => type === 'art_link');
    const tracker = {
      id: api.tracker('bug'),
      uri: `trackers/${api.tracker('bug')}`,
      label: 'Bugs',
      color: 'fiesta-red',
      project: { id: 101, uri: 'projects/101', label: 'Hydra', icon: '' },
    };
    expect(element).to.deep.equal({
      field_id: api.field('bug', 'links'),
      type: 'art_link',
      label: 'Links',
      links: [{ id: target, uri: `artifacts/${target}`, tracker, type: '_is_child' }],
      reverse_links: [],
    });
    expect(await api.links(target)).to.deep.equal({ forward: [], reverse: [`${source} _is_child`] });
  });

  it('replace the whole set: added, removed, of another type', async () => {
    const [a, b, c] = [await api.created(), await api.created(), await api.created()];
    const id = await api.created([links([a], [b, '_is_child'])]);
    await api.changed(id, [links([b, 'fixed_in'], [c, ''])]);
    expect((await api.links(id)).forward).to.deep.equal([`${b} fixed_in`, `${c}`].sort());
    expect((await api.links(a)).reverse).to.deep.equal([]);
    await api.changed(id, [links()]);
    expect((await api.links(id)).forward).to.deep.equal([]);
  });

  it('named twice are one, as the last says; the same set in another order changes nothing', async () => {
    const [a, b] = [await api.created(), await api.created()];
    const id = await api.created([links([a, '_is_child'], [b], [a, ''])]);
    expect((await api.links(id)).forward).to.deep.equal([`${a}`, `${b}`].sort());
    expect(await api.changed(id, [links([b], [a])])).to.equal('"0"');
  });

  it('move the Etag of their source, not of their target', async () => {
    const [source, target] = [await api.created(), await api.created()];
    expect(await api.changed(source, [links([target])])).to.equal('"1"');
    expect(await api.etag(target)).to.equal('"0"');
  });

  it('lead across trackers and to what carries no link field yet', async () => {
    const note = await api.created([], { tracker: 'note' });
    const id = await api.created([links([note])]);
    expect((await api.links(note)).reverse).to.deep.equal([`${id}`]);
  });

  it('are refused alike to missing and to hidden artifacts', async () => {
    const hidden = await api.created([], inCases);
    const restricted = await api.created([api.set('readers', { value: { granted_groups: ['101_4'] } })]);
    const id = await api.created();
    const messages = [];
    for (const target of [999_999, hidden, restricted]) {
      for (const [place, element] of [
        ['/links/0/id', links([target])],
        ['/parent/id', parent(target)],
        ['/all_links/0/id', all([target, 'reverse', ''])],
        ['/all_links/0/id', all([target, 'forward', ''])],
      ] as const) {
        const as = target === restricted ? 'carol' : 'bob';
        const answer = await api.change(id, [element], { as });
        expect(refusal(answer), JSON.stringify(element)).to.deep.equal({
          status: 400,
          pointers: [`/values/0${place}`],
        });
        expect(refusal(await api.submit([api.titled('a'), element], { as })).status).to.equal(400);
        messages.push((answer.body.error.message as string).replace(String(target), 'N'));
      }
    }
    expect(new Set(messages).size).to.equal(1);
  });

  it('are refused to the artifact itself, with unknown types, and in unknown shapes', async () => {
    const id = await api.created();
    const other = await api.created();
    const refused = [
      links([id]),
      parent(id),
      all([id, 'forward', '']),
      links([other, 'no such type']),
      links([other, '__proto__']),
      api.set('links', { links: {} }),
      api.set('links', { links: [other] }),
      api.set('links', { links: [{ type: '_is_child' }] }),
      api.set('links', { links: [{ id: 'x' }] }),
      api.set('links', { links: [{ id: -1 }] }),
      api.set('links', { parent: other }),
      api.set('links', { parent: {} }),
      api.set('links', { all_links: [{ id: other, direction: 'up' }] }),
      api.set('links', { all_links: [{ id: other }] }),
      api.set('links', { all_links: [], links: [] }),
      api.set('links', { all_links: [], parent: { id: other } }),
      api.set('links', { value: [other] }),
    ];
    for (const element of refused) {
      expect(refusal(await api.change(id, [element])).status, JSON.stringify(element)).to.equal(400);
    }
    expect(await api.etag(id)).to.equal('"0"');
  });

  it('that the writer may not see stay after every write', async () => {
    const hidden = await api.created([], inCases);
    const [a, b] = [await api.created(), await api.created()];
    const id = await api.created([links([hidden, '_is_child'], [a])], { as: 'carol' });
    expect((await api.links(id, 'bob')).forward).to.deep.equal([`${a}`]);
    expect(await api.changed(id, [links([a])], { as: 'bob' })).to.equal('"0"');
    await api.changed(id, [links([b])], { as: 'bob' });
    expect((await api.links(id, 'carol')).forward).to.deep.equal([`${b}`, `${hidden} _is_child`].sort());
    await api.changed(id, [all()], { as: 'bob' });
    expect((await api.links(id, 'carol')).forward).to.deep.equal([`${hidden} _is_child`]);
    expect(JSON.stringify((await api.read(id, 'bob')).body)).not.to.include(`artifacts/${hidden}"`);
  });

  it('to what was deleted are shown no more, and are no reason for a change', async () => {
    const [stays, goes] = [await api.created(), await api.created()];
    const id = await api.created([links([stays], [goes])]);
    await api.deleted(goes);
    expect((await api.links(id)).forward).to.deep.equal([`${stays}`]);
    expect(await api.changed(id, [links([stays])])).to.equal('"0"');
    expect(refusal(await api.change(id, [links([stays], [goes])])).status).to.equal(400);
  });

  it('to what was deleted go with the next change, and leave room for others', async () => {
    const [goes, comes] = [await api.created(), await api.created()];
    const kept = Array.from({ length: 999 }, (_, index) => ({ id: 999_000 + index, type: '' }));
    const values = { [api.field('bug', 'links')]: [...kept, { id: goes, type: '' }] };
    const [id] = (await plantedArtifacts(api, api.tracker('bug'), [values])) as [number];
    await api.deleted(goes);
    expect(await api.changed(id, [links()])).to.equal('"0"');
    await api.changed(id, [links([comes])]);
    const { events } = await api.service.log.read<ArtifactEvent>(artifactStream(id));
    const { values: changed } = events[1]!.data as { readonly values: FieldValues };
    expect(changed).to.deep.equal({ [api.field('bug', 'links')]: [{ id: comes, type: '' }, ...kept] });
  });

  it('are shown to those only who may see the other end', async () => {
    const id = await api.created();
    const hidden = await api.created([caseLinks(id)], inCases);
    expect((await api.links(id, 'carol')).reverse).to.deep.equal([`${hidden}`]);
    expect((await api.links(id, 'bob')).reverse).to.deep.equal([]);
  });

  describe('written from their target', () => {
    it('make a parent: both ends move', async () => {
      const [above, id] = [await api.created(), await api.created()];
      expect(await api.changed(id, [parent(above)])).to.equal('"1"');
      expect(await api.etag(above)).to.equal('"1"');
      expect((await api.links(above)).forward).to.deep.equal([`${id} _is_child`]);
      expect((await api.read(above)).body.last_update_by).to.equal(api.user('carol'));
      expect(await api.changed(id, [parent(String(above))])).to.equal('"1"');
      expect(await api.etag(above)).to.equal('"1"');
    });

    it('make a parent at creation, beside links of its own', async () => {
      const [above, below] = [await api.created(), await api.created()];
      const id = await api.created([api.set('links', { parent: { id: above }, links: [{ id: below }] })]);
      expect(await api.links(id)).to.deep.equal({ forward: [`${below}`], reverse: [`${above} _is_child`] });
      expect(await api.etag(id)).to.equal('"0"');
      expect(await api.etag(above)).to.equal('"1"');
    });

    it('add a parent and leave the links that are there', async () => {
      const [first, second] = [await api.created(), await api.created()];
      const id = await api.created([parent(first)]);
      await api.changed(id, [parent(second)]);
      expect((await api.links(id)).reverse).to.deep.equal([`${first} _is_child`, `${second} _is_child`].sort());
    });

    it('turn a link of another type into that of a child', async () => {
      const id = await api.created();
      const above = await api.created([links([id, 'fixed_in'])]);
      await api.changed(id, [parent(above)]);
      expect((await api.links(above)).forward).to.deep.equal([`${id} _is_child`]);
    });

    it('replace both directions: added, removed, of another type', async () => {
      const id = await api.created();
      const [stays, goes, comes, target] = [
        await api.created([links([id, '_is_child'])]),
        await api.created([links([id])]),
        await api.created(),
        await api.created(),
      ];
      await api.changed(id, [
        all([stays, 'reverse', 'fixed_in'], [comes, 'reverse', ''], [target, 'forward', '_is_child']),
      ]);
      expect(await api.links(id)).to.deep.equal({
        forward: [`${target} _is_child`],
        reverse: [`${stays} fixed_in`, `${comes}`].sort(),
      });
      expect((await api.links(goes)).forward).to.deep.equal([]);
      expect(await Promise.all([id, stays, goes, comes, target].map((each) => api.etag(each)))).to.deep.equal([
        '"1"',
        '"1"',
        '"1"',
        '"1"',
        '"0"',
      ]);
      await api.changed(id, [all()]);
      expect(await api.links(id)).to.deep.equal({ forward: [], reverse: [] });
    });

    it('leave the links from sources that the writer may not see', async () => {
      const id = await api.created();
      const hidden = await api.created([caseLinks(id)], inCases);
      expect(await api.changed(id, [all()], { as: 'bob' })).to.equal('"0"');
      expect((await api.links(id, 'carol')).reverse).to.deep.equal([`${hidden}`]);
    });

    it('need the right to update the source', async () => {
      const source = await api.created([], { tracker: 'note', as: 'carol' });
      const own = await api.created([], { as: 'dave' });
      expect(refusal(await api.submit([api.titled('a'), parent(own)], { as: 'dave' }))).to.deep.equal({
        status: 400,
        pointers: ['/values/1/parent/id'],
      });
      expect((await api.submit([api.titled('a'), parent(source)], { as: 'carol' })).status).to.equal(201);
      expect(await api.etag(own)).to.equal('"0"');
    });

    it('are guarded by the Etag of the artifact in the path alone', async () => {
      const [above, id] = [await api.created(), await api.created()];
      await api.changed(above, [api.titled('moved on')]);
      expect((await api.change(id, [parent(above)], { headers: { 'If-Match': '"0"' } })).status).to.equal(200);
      expect((await api.change(id, [all()], { headers: { 'If-Match': '"0"' } })).status).to.equal(412);
      expect((await api.links(above)).forward).to.deep.equal([`${id} _is_child`]);
    });

    it('all arrive when many targets name one parent at once', async () => {
      const above = await api.created();
      const made = await Promise.all(Array.from({ length: 12 }, () => api.created([parent(above)])));
      expect((await api.links(above)).forward).to.deep.equal(made.map((id) => `${id} _is_child`).sort());
      expect(await api.etag(above)).to.equal('"12"');
    });
  });
});
