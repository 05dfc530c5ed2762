import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { artifactStream, type ArtifactEvent } from '../../../src/artifacts/artifact-events.js';
import { artifactApi, refusal, type ArtifactApi } from '../artifact-api.js';

describe('An artifact with two fields for links', () => {
  let api: ArtifactApi;
  before(async () => {
    const platform = readFileSync(new URL('../../support/platform.yaml', import.meta.url), 'utf8').replace(
      '          - { name: links, label: Links, type: art_link }\n          - { name: attachments',
      '          - { name: links, label: Links, type: art_link }\n          - { name: more, label: More, type: art_link }\n          - { name: attachments',
    );
    api = await artifactApi({ platform });
  });
  after(() => api.stop());

  it('names every link of both that leads nowhere, with its field and its place', async () => {
    const target = await api.created();
    const to = (...ids: readonly number[]) => ({ links: ids.map((id) => ({ id })) });
    const asked = [api.titled('a'), api.set('links', to(999_991, target, 999_992)), api.set('more', to(999_993))];
    const { status, body } = await api.submit(asked);
    expect(status).to.equal(400);
    expect(body.error.details).to.deep.equal([
      { pointer: '/values/1/links/0/id', message: 'Links: 999991 is not an artifact' },
      { pointer: '/values/1/links/2/id', message: 'Links: 999992 is not an artifact' },
      { pointer: '/values/2/links/0/id', message: 'More: 999993 is not an artifact' },
    ]);
  });

  it('names the last mention of an end, and the direction that is refused', async () => {
    const [id, closed] = [await api.created([], { as: 'dave' }), await api.created([], { as: 'dave' })];
    const lists = api.set('more', { links: [{ id: 999_991 }, { id: 999_991 }] });
    expect(refusal(await api.change(id, [lists])).pointers).to.deep.equal(['/values/0/links/1/id']);
    const all = api.set('more', {
      all_links: [
        { id: closed, direction: 'reverse', type: '' },
        { id: closed, direction: 'forward', type: '' },
      ],
    });
    const refused = await api.submit([api.titled('a'), all], { as: 'dave' });
    expect(refusal(refused)).to.deep.equal({ status: 400, pointers: ['/values/1/all_links/0/id'] });
  });

  it('orders one link of a source that both fields name: the one that is named last', async () => {
    const [source, target] = [await api.created(), await api.created()];
    const from = (type: string) => ({ all_links: [{ id: source, direction: 'reverse', type }] });
    await api.changed(target, [api.set('links', from('_is_child')), api.set('more', from('fixed_in'))]);
    expect((await api.links(target)).reverse).to.deep.equal([`${source} fixed_in`]);
    const { events } = await api.service.log.read(artifactStream(source));
    expect(events).to.have.length(2);
    expect(new Set(events.map(({ id }) => id)).size).to.equal(2);
    const orders = (await api.service.log.read<ArtifactEvent>(artifactStream(target))).events.at(-1)?.data;
    expect(orders)
      .to.have.nested.property('reverseLinks.add')
      .that.deep.equals([{ source, type: 'fixed_in' }]);
  });

  describe('that both hold a link to one target', () => {
    let source: number;
    let target: number;
    beforeEach(async () => {
      target = await api.created();
      const to = (type: string) => ({ links: [{ id: target, type }] });
      source = await api.created([api.set('links', to('')), api.set('more', to('fixed_in'))]);
    });

    const all = (...types: readonly string[]) =>
      api.set('links', { all_links: types.map((type) => ({ id: source, direction: 'reverse', type })) });
    const heldIn = async (name: string) => (await api.shown(source, name))?.['links'];

    it('loses it in both where its target lists no links', async () => {
      await api.changed(target, [all()]);
      expect((await api.links(target)).reverse).to.deep.equal([]);
      expect([await heldIn('links'), await heldIn('more')]).to.deep.equal([[], []]);
    });

    for (const type of ['_is_child', '', 'fixed_in']) {
      it(`holds it once where its target lists it with the type "${type}"`, async () => {
        await api.changed(target, [all(type)]);
        expect((await api.links(target)).reverse).to.deep.equal([`${source} ${type}`.trim()]);
        expect(await heldIn('more')).to.deep.equal([]);
      });
    }

    it('shows it once where both have the same type, and takes that back', async () => {
      await api.changed(source, [api.set('more', { links: [{ id: target, type: '' }] })]);
      const shown = (await api.shown(target, 'links'))?.['reverse_links'];
      expect(shown).to.have.length(1);
      expect(await api.changed(target, [all('')])).to.equal('"0"');
      expect([await heldIn('links'), await heldIn('more')].map((held) => (held as unknown[]).length)).to.deep.equal([
        1, 1,
      ]);
    });

    it('is not changed where its target lists both', async () => {
      expect(await api.changed(target, [all('fixed_in', '')])).to.equal('"0"');
      expect(await api.etag(source)).to.equal('"0"');
    });
  });
});

describe('A link that its source would hold', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi();
    const text = `
projects:
  - shortname: depot
    label: Depot
    members: [bob]
    trackers:
      - item_name: parcel
        label: Parcels
        fields:
          - { name: title, label: Title, type: string }
          - { name: links, label: Links, type: art_link, permissions: { update: [project_admins] } }
      - item_name: shelf
        label: Shelves
        permissions: { update: [project_admins] }
        fields:
          - { name: title, label: Title, type: string }
          - { name: links, label: Links, type: art_link, permissions: { update: [project_members] } }
      - { item_name: crate, label: Crates, fields: [{ name: title, label: Title, type: string }] }`;
    await api.operate('apply', { text, prune: false, env: {} });
  });
  after(() => api.stop());

  it('is refused where the source has no field for it', async () => {
    const source = await api.created([], { tracker: 'crate', as: 'bob' });
    const refused = await api.submit([api.titled('Child'), api.set('links', { parent: { id: source } })], {
      as: 'bob',
    });
    expect(refusal(refused)).to.deep.equal({ status: 400, pointers: ['/values/1/parent/id'] });
    expect(refused.body.error.message).to.include('its tracker has no link field');
  });

  it('is refused where the user may not update the source, but its field for links', async () => {
    const source = await api.created([], { tracker: 'shelf', as: 'bob' });
    const refused = await api.submit([api.titled('Child'), api.set('links', { parent: { id: source } })], {
      as: 'bob',
    });
    expect(refusal(refused)).to.deep.equal({ status: 400, pointers: ['/values/1/parent/id'] });
    expect((await api.links(source, 'bob')).forward).to.deep.equal([]);
  });

  it('is told to a target whose tracker has no field for links', async () => {
    const target = await api.created([], { tracker: 'crate', as: 'bob' });
    const source = await api.created([api.set('links', { links: [{ id: target, type: 'fixed_in' }] })], { as: 'bob' });
    const { body } = await api.get(`/artifacts/${target}/links`, { as: 'bob' });
    expect(body.natures).to.have.length(1);
    const linked = await api.get(`${body.natures[0].uri.replace(/^artifacts/, '/artifacts')}`, { as: 'bob' });
    expect(linked.body.collection.map(({ id }: { id: number }) => id)).to.deep.equal([source]);
  });

  it('is refused where the user may not change the field that asks for it', async () => {
    const [source, target] = [await api.created(), await api.created([], { tracker: 'parcel', as: 'bob' })];
    for (const asked of [{ parent: { id: source } }, { all_links: [{ id: source, direction: 'reverse' }] }]) {
      const refused = await api.change(target, [api.set('links', asked, 'parcel')], { as: 'bob' });
      expect(refusal(refused)).to.deep.equal({ status: 400, pointers: ['/values/0'] });
    }
    expect((await api.links(source)).forward).to.deep.equal([]);
  });
});
