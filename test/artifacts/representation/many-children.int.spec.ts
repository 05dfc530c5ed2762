import { expect } from 'chai';
import { artifactViews, type ArtifactView } from '../../../src/artifacts/artifact-view.js';
import { relatedTo } from '../../../src/artifacts/representation/load-related.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { type FieldValues } from '../../../src/trackers/field-types/field-value.js';
import { ClientLeft } from '../../../src/http/gone.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

/** So many are held for one request without a wait. */
const FEW = 1000;
const CHILDREN = 10;
const GRANDCHILDREN = FEW + 100;
const AT_ONCE = 4;

describe('artifacts with sums over many', () => {
  let api: ArtifactApi;
  let root: ArtifactView;
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
  });
  after(() => api.stop());

  /** What a request reads, with the number of those that hold many artifacts. */
  const requests = () => {
    const { readModels, definitions } = api.service;
    const holding = new Set<number>();
    let most = 0;
    let slices = 0;
    const answer = async (request: number, gone = new AbortController(), leaveAt = Infinity) => {
      const getSlice: ReadModels['getSlice'] = async (model, ids, sees) => {
        const slice = await readModels.getSlice(model, ids, sees);
        if ((slices += 1) === leaveAt) gone.abort(new ClientLeft());
        if (slice.items.length > CHILDREN) holding.add(request);
        most = Math.max(most, holding.size);
        return slice;
      };
      const reading = { readModels: { ...readModels, getSlice }, definitions, viewer: viewer(definitions, null) };
      const related = await relatedTo([root], { ...reading, gone: gone.signal });
      holding.delete(request);
      return related;
    };
    return { answer, most: () => most, slices: () => slices };
  };

  it('are few at once, and keep the shown ones alone', async () => {
    const { answer, most } = requests();
    const all = await Promise.all(Array.from({ length: 3 * AT_ONCE }, (_, n) => answer(n)));
    expect(all.map(({ sumOf }) => sumOf(root.id, 'sum'))).to.deep.equal(all.map(() => GRANDCHILDREN));
    expect(most()).to.equal(AT_ONCE);
    const linked = (id: number) => all[0]?.linked(id);
    const children = Object.values(root.values).flatMap((value) => (Array.isArray(value) ? value : []));
    const ids = children.map(({ id }: { readonly id: number }) => id);
    expect(ids.map((id) => linked(id)?.id)).to.deep.equal(ids);
    expect(linked(Math.min(...ids) - 1)).to.equal(undefined);
  });

  it('are read no further once the client has left', async () => {
    const { answer, slices } = requests();
    const failure = await answer(0, new AbortController(), 2).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(ClientLeft);
    expect(slices()).to.equal(2);
  });
});
