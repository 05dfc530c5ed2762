import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { unseenApi, words, type UnseenApi } from '../unseen-api.js';

const UNKNOWN = 999_999;

describe('links that a reader may not see', () => {
  let api: UnseenApi;
  before(async () => {
    api = await unseenApi();
  });
  after(() => api.stop());

  const natures = async (id: number, as?: string) =>
    (await api.get(`/artifacts/${id}/links`, { ...(as && { as }) })).body.natures.map(
      ({ direction }: { direction: string }) => direction,
    );
  const linked = async (id: number, direction: string, as?: string) => {
    const answer = await api.get(`/artifacts/${id}/linked_artifacts?direction=${direction}`, { ...(as && { as }) });
    const ids = answer.body.collection.map((artifact: { id: number }) => artifact.id);
    return [ids, answer.headers.get('x-pagination-size')];
  };
  const ties = (id: number) => api.of('ties', { links: [{ id }] }, 'covert');

  it('are shown at neither end if their field is unreadable', async () => {
    const target = await api.made();
    const source = await api.made([ties(target)], 'covert');
    for (const as of [undefined, 'mem']) {
      expect(await natures(source, as)).to.deep.equal([]);
      expect(await linked(source, 'forward', as)).to.deep.equal([[], '0']);
      expect(await natures(target, as)).to.deep.equal([]);
      expect(await linked(target, 'reverse', as)).to.deep.equal([[], '0']);
      const { body } = await api.get(`/artifacts/${target}`, { ...(as && { as }) });
      expect(body.values.find(({ type }: { type: string }) => type === 'art_link').reverse_links).to.deep.equal([]);
    }
    expect(await natures(source, 'maker')).to.deep.equal(['forward']);
    expect(await linked(target, 'reverse', 'maker')).to.deep.equal([[source], '1']);
  });

  it('leave no id in the history, in rows, and no changeset or change where nothing else was changed', async () => {
    const hidden = await api.made([], 'case');
    const shown = await api.made();
    const id = await api.made([api.links(shown)]);
    expect((await api.change(id, [api.links(shown, hidden)], 'maker')).status).to.equal(200);
    expect((await api.change(id, [api.links(shown)], 'maker')).status).to.equal(200);
    expect((await api.change(id, [api.links(shown, hidden)], 'maker')).status).to.equal(200);

    const { body: history } = await api.get(`/artifacts/${id}/history`, { as: 'mem' });
    expect(history.map(({ changes }: { changes: unknown[] }) => changes.length)).to.deep.equal([2, 0, 0, 0]);
    expect(history[0].changes[1]).to.deep.include({ name: 'links', after: [{ id: shown, type: '' }] });
    const changesets = await api.get(`/artifacts/${id}/changesets`, { as: 'mem' });
    expect([changesets.body.length, changesets.headers.get('x-pagination-size')]).to.deep.equal([1, '1']);
    const above = await api.made([api.links(id)]);
    for (const format of ['flat', 'flat_with_semicolon_string_array']) {
      const path = `/artifacts/${above}/linked_artifacts?direction=forward&output_format=${format}`;
      const { body } = await api.get(path, { as: 'mem' });
      expect(body[0], format).to.include.keys('title').and.not.include.keys('links');
    }
    const { body: whole } = await api.get(`/artifacts/${id}/history`, { as: 'maker' });
    expect(whole[1].changes[0].after).to.deep.include({ id: hidden, type: '' });
  });

  it('stay in the history when their other end was visible and is deleted', async () => {
    const gone = await api.made();
    const id = await api.made([api.links(gone)]);
    expect((await api.request('DELETE', `/artifacts/${gone}`, { as: 'maker' })).status).to.equal(200);
    const { body } = await api.get(`/artifacts/${id}/history`, { as: 'mem' });
    expect(body[0].changes[1].after).to.deep.equal([{ id: gone, type: '' }]);
  });

  it('are refused as to an artifact that does not exist, held already or not, from either end', async () => {
    const hidden = await api.made([], 'case');
    const holding = await api.made([api.links(hidden)]);
    const other = await api.made();
    const before = [await api.etag(hidden), await api.etag(holding), await api.etag(other)];
    const asked = (end: number): readonly object[] => [
      api.links(end),
      api.of('links', { parent: { id: end } }),
      api.of('links', { all_links: [{ id: end, direction: 'reverse', type: '' }] }),
      api.of('links', { all_links: [{ id: end, direction: 'forward', type: '_is_child' }] }),
    ];
    for (const [index, element] of asked(hidden).entries()) {
      const unknown = words(await api.change(other, [asked(UNKNOWN)[index]!]), UNKNOWN);
      expect(unknown).to.match(/^400 /);
      for (const id of [holding, other]) expect(words(await api.change(id, [element]), hidden)).to.equal(unknown);
      const submitted = words(await api.submit([asked(UNKNOWN)[index]!], 'mem'), UNKNOWN);
      expect(words(await api.submit([element], 'mem'), hidden)).to.equal(submitted);
    }
    expect([await api.etag(hidden), await api.etag(holding), await api.etag(other)]).to.deep.equal(before);
  });

  it('are not written into a field that the writer may not read, whether it holds them or not', async () => {
    const target = await api.made();
    const holding = await api.made([ties(target)], 'covert');
    const other = await api.made([], 'covert');
    const parent = (id: number) => api.of('links', { parent: { id } });
    const refused = words(await api.change(target, [parent(other)]), other);
    expect(refused).to.match(/^400 /);
    expect(words(await api.change(target, [parent(holding)]), holding)).to.equal(refused);
    expect(await api.etag(holding)).to.equal('"0"');
  });

  it('are written at a source that has room, and refused by one that is full of hidden links', async () => {
    const links = (count: number) => Array.from({ length: count }, (_, index) => ({ id: UNKNOWN + index, type: '' }));
    const gone = String(UNKNOWN);
    const sources = await plantedArtifacts(api, api.tracker('item'), [
      { [gone]: links(999) },
      { [gone]: links(1000) },
      {},
    ]);
    for (let from = 0; from < 36; from += 12) await planted(sources[2]!, from, 65_000);
    const target = await api.made();
    const refused = [];
    for (const id of sources) {
      const { status, body } = await api.change(target, [api.of('links', { parent: { id } })]);
      if (status !== 200) refused.push([status, body.error.message]);
    }
    const message = (id: number) =>
      `Bad Request: Links: ${id} is full; an artifact holds at most 1000 links and 2097152 bytes of values`;
    expect(refused).to.deep.equal(sources.slice(1).map((id) => [400, message(id)]));
    expect(await natures(target)).to.deep.equal(['reverse']);
    expect(await natures(sources[0]!)).to.deep.equal(['forward']);
    expect(await api.etag(target)).to.equal('"1"');
  });

  /** Texts in fields that the tracker has no more. */
  const planted = async (artifactId: number, from: number, bytes: number): Promise<void> => {
    const texts = Array.from({ length: 12 }, (_, index) => [String(UNKNOWN + from + index), 'x'.repeat(bytes)]);
    const event = { type: 'ArtifactValuesChanged', id: randomUUID() };
    const data = { artifactId, trackerId: api.tracker('item'), values: Object.fromEntries(texts) };
    const { revision } = await api.service.log.read(artifactStream(artifactId));
    const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
    await api.service.log.append(artifactStream(artifactId), revision, [{ ...event, data }], metadata);
  };

  it('stay when the reader sends back what they read', async () => {
    const hidden = await api.made([], 'case');
    const shown = await api.made();
    const id = await api.made([api.links(shown, hidden)]);
    const { body, headers } = await api.get(`/artifacts/${id}`, { as: 'mem' });
    const answer = await api.put(`/artifacts/${id}`, { as: 'mem', body });
    expect([answer.status, answer.headers.get('etag')]).to.deep.equal([200, headers.get('etag')]);
    expect((await api.change(id, [api.links()])).status).to.equal(200);
    expect(await linked(id, 'forward', 'maker')).to.deep.equal([[hidden], '1']);
  });

  it('tell nothing of a deleted artifact: its history is 404 for who could not see it', async () => {
    const hidden = await api.made([api.of('readers', { value: { granted_groups: [`${openId()}_4`] } })]);
    const inCase = await api.made([], 'case');
    for (const id of [hidden, inCase]) {
      expect((await api.get(`/artifacts/${id}/history`, { as: 'mem' })).status).to.equal(403);
      expect((await api.request('DELETE', `/artifacts/${id}`, { as: 'maker' })).status).to.equal(200);
      const unknown = words(await api.get(`/artifacts/${UNKNOWN}/history`, { as: 'mem' }), UNKNOWN);
      expect(words(await api.get(`/artifacts/${id}/history`, { as: 'mem' }), id)).to.equal(unknown);
      expect(words(await api.get(`/artifacts/${id}?revision=0`, { as: 'mem' }), id)).to.equal(unknown);
      expect((await api.get(`/artifacts/${id}/history`, { as: 'maker' })).status).to.equal(200);
    }
  });

  const openId = (): number => api.service.definitions.projectNamed('open')!.id;
});
