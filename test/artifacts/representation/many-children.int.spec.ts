import { expect } from 'chai';
import { setImmediate } from 'node:timers/promises';
import { artifactViews, type ArtifactView } from '../../../src/artifacts/artifact-view.js';
import { relatedTo, sourcesOf } from '../../../src/artifacts/representation/load-related.js';
import { sumsOf } from '../../../src/artifacts/representation/sums.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type Document, type ReadModels, type Slice } from '../../../src/core/read-models.js';
import { type FieldValues } from '../../../src/trackers/field-types/field-value.js';
import { ClientLeft } from '../../../src/http/gone.js';
import { busy } from '../../support/busy.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

/** So many are held for one request without a wait. */
const FEW = 1000;
const CHILDREN = 10;
const GRANDCHILDREN = FEW + 100;
const AT_ONCE = 4;
/** Of more than one slice. */
const MEMBERS = 240;
const LINKS_OF_MEMBER = 10;
/** Milliseconds that no work takes in one turn of the event loop. */
const A_TURN = 5;

describe('artifacts with sums over many', () => {
  let api: ArtifactApi;
  let root: ArtifactView;
  /** Of few artifacts that have many links to each other. */
  let dense: ArtifactView;
  before(async () => {
    api = await artifactApi({ platform: plainPlatform([{ name: 'sum', label: 'Sum', type: 'computed' }]) });
    const planted = async (all: readonly object[]): Promise<readonly number[]> =>
      plantedArtifacts(api, api.tracker('bug'), all as readonly FieldValues[]);
    const sum = String(api.field('bug', 'sum'));
    const parentOf = (ids: readonly number[]) => ({
      [sum]: { auto: true },
      [String(api.field('bug', 'links'))]: ids.map((id) => ({ id, type: '_is_child' })),
    });
    const leaves = await planted(Array.from({ length: GRANDCHILDREN }, () => ({ [sum]: { manual: 1 } })));
    const part = GRANDCHILDREN / CHILDREN;
    const children = Array.from({ length: CHILDREN }, (_, n) => parentOf(leaves.slice(n * part, (n + 1) * part)));
    const [id = 0] = await planted([parentOf(await planted(children))]);
    root = (await api.service.readModels.get(artifactViews, id))!;
    const members = await planted(Array.from({ length: MEMBERS }, () => parentOf(leaves.slice(0, LINKS_OF_MEMBER))));
    const [denseId = 0] = await planted([parentOf(members)]);
    dense = (await api.service.readModels.get(artifactViews, denseId))!;
  });
  after(() => api.stop());

  const targetsOf = ({ values }: ArtifactView): readonly number[] =>
    Object.values(values).flatMap((value) =>
      Array.isArray(value) ? value.map(({ id }: { readonly id: number }) => id) : [],
    );
  const viewerOf = () => viewer(api.service.definitions, null);

  /** What a request reads, with the number of those that hold many artifacts or links once they have read this slice. */
  const requests = (holdsMany: (slice: Slice<Document>) => boolean, from = root) => {
    const { readModels, definitions } = api.service;
    const holding = new Set<number>();
    let most = 0;
    let slices = 0;
    const answer = async (request: number, gone = new AbortController(), leaveAt = Infinity) => {
      const getSlice: ReadModels['getSlice'] = async (model, ids, sees) => {
        const slice = await readModels.getSlice(model, ids, sees);
        // Whoever gave the place to this one is answered by then.
        await setImmediate();
        if ((slices += 1) === leaveAt) gone.abort(new ClientLeft());
        if (holdsMany(slice)) holding.add(request);
        most = Math.max(most, holding.size);
        return slice;
      };
      // Nothing links to it: to find that out is no part of what counts, and may take longer.
      const findIds: ReadModels['findIds'] = () => Promise.resolve([]);
      const reading = { readModels: { ...readModels, getSlice, findIds }, definitions, viewer: viewerOf() };
      const related = await relatedTo([from], { ...reading, gone: gone.signal });
      holding.delete(request);
      return related;
    };
    return { answer, most: () => most, slices: () => slices };
  };

  const areGrandchildren = ({ items }: Slice<Document>): boolean => items.length > CHILDREN;
  const areLast = ({ rest }: Slice<Document>): boolean => rest.length === 0;

  it('are few at once, and keep the shown ones alone, without their links', async () => {
    const { answer, most } = requests(areGrandchildren);
    const all = await Promise.all(Array.from({ length: 3 * AT_ONCE }, (_, n) => answer(n)));
    expect(all.map(({ sumOf }) => sumOf(root.id, 'sum'))).to.deep.equal(all.map(() => GRANDCHILDREN));
    expect(most()).to.be.at.most(AT_ONCE);
    const linked = (id: number) => all[0]?.linked(id);
    const ids = targetsOf(root);
    expect(ids.map((id) => linked(id)?.id)).to.deep.equal(ids);
    expect(ids.map((id) => linked(id)?.values)).to.deep.equal(ids.map(() => ({})));
    expect(linked(Math.min(...ids) - 1)).to.equal(undefined);
  });

  it('are few at once, too, if few artifacts have many links', async () => {
    const { answer, most } = requests(areLast, dense);
    const all = await Promise.all(Array.from({ length: 3 * AT_ONCE }, (_, n) => answer(n)));
    expect(all.map(({ sumOf }) => sumOf(dense.id, 'sum'))).to.deep.equal(all.map(() => LINKS_OF_MEMBER));
    expect(most()).to.be.at.most(AT_ONCE);
  });

  it('are held without their links where they are sources', async () => {
    const [child = 0] = targetsOf(root);
    const { readModels, definitions } = api.service;
    const sources = await sourcesOf([child], { readModels, definitions, viewer: viewerOf() });
    expect(sources.get(child)?.map(({ source: { id, values } }) => ({ id, values }))).to.deep.equal([
      { id: root.id, values: {} },
    ]);
  });

  it('are read no further once the client has left', async () => {
    const { answer, slices } = requests(areGrandchildren);
    const failure = await answer(0, new AbortController(), 2).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(ClientLeft);
    expect(slices()).to.equal(2);
  });

  it('are summed up no further once the client has left', async () => {
    const { readModels, definitions } = api.service;
    const gone = new AbortController();
    const known = new Map<number, ArtifactView>();
    for (const one of await readModels.getMany(artifactViews, [...targetsOf(root), root.id])) known.set(one.id, one);
    const reader = viewerOf();
    const asked: number[] = [];
    const leaving = (artifact: ArtifactView) => {
      asked.push(artifact.id);
      gone.abort(new ClientLeft());
      busy(A_TURN);
      return reader.linksOf(artifact);
    };
    const reading = { definitions, viewer: { ...reader, linksOf: leaving }, gone: gone.signal };
    const failure = await sumsOf([root], reading, (id) => known.get(id)).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(ClientLeft);
    expect(asked).to.deep.equal([root.id]);
  });
});
