import { expect } from 'chai';
import { artifactsOf, type ArtifactSearch } from '../../src/artifacts/queries.js';
import { type Reading } from '../../src/artifacts/representation/reading.js';
import { viewer } from '../../src/authorization/viewer.js';
import { type ReadModels } from '../../src/core/read-models.js';
import { plantedArtifacts } from '../support/planted-artifacts.js';
import { artifactApi, type ArtifactApi } from './artifact-api.js';
import { plainPlatform } from './plain-platform.js';

/** In characters: five such artifacts are a slice. */
const TEXT = 60_000;
const TITLES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const PAGE = 7;

describe('a page by the values of a field, of more than a slice', () => {
  let api: ArtifactApi;
  let ids: readonly number[];
  before(async () => {
    api = await artifactApi({ platform: plainPlatform([{ name: 'text', label: 'Text', type: 'text' }]) });
    const text = { text: 'x'.repeat(TEXT), format: 'text' as const };
    const [title, large] = [String(api.field('bug', 'title')), String(api.field('bug', 'text'))];
    const values = TITLES.map((letter) => ({ [title]: letter, [large]: text }));
    ids = await plantedArtifacts(api, api.tracker('bug'), values);
  });
  after(() => api.stop());

  it('is continued where its last artifact stood, although the artifact changed once the page was found', async () => {
    const { readModels, definitions } = api.service;
    const findSlice: ReadModels['findSlice'] = async (...asked) => {
      const page = await readModels.findSlice(...asked);
      await api.changed(ids[PAGE - 1]!, [api.titled('z')]);
      return page;
    };
    const reading: Reading = { readModels, definitions, viewer: viewer(definitions, null) };
    const search: ArtifactSearch = { sort: 'title', since: {}, direction: 'asc', limit: PAGE, offset: 0 };
    const tracker = definitions.tracker(api.tracker('bug'))!;
    const { items, rest, last } = await artifactsOf(tracker, search, {
      ...reading,
      readModels: { ...readModels, findSlice },
    });
    expect(items.length).to.be.below(PAGE);
    expect([...items.map(({ id }) => id), ...rest]).to.deep.equal(ids.slice(0, PAGE));
    expect(last).to.deep.equal({ id: ids[PAGE - 1], values: ['g'] });
    const next = await artifactsOf(tracker, { ...search, after: last! }, reading);
    const behind = [...next.items.map(({ id }) => id), ...next.rest];
    expect(behind).to.deep.equal([...ids.slice(PAGE), ids[PAGE - 1]]);
  });
});
