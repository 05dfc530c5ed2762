import { expect } from 'chai';
import { fieldKey } from '../../src/artifacts/artifact-view.js';
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
    expect(last).to.deep.equal({
      id: ids[PAGE - 1],
      values: ['g', fieldKey(api.tracker('bug'), api.field('bug', 'title'))],
    });
    const next = await artifactsOf(tracker, { ...search, after: last! }, reading);
    const behind = [...next.items.map(({ id }) => id), ...next.rest];
    expect(behind).to.deep.equal([...ids.slice(PAGE), ids[PAGE - 1]]);
  });
});

describe('a walk by a field that is named by its meaning', () => {
  const COUNT = 12;
  const list = (name: string) => ({
    name,
    label: name,
    type: 'sb',
    values: ['A', 'B', 'C'].map((label) => ({ label })),
  });
  const fields = [
    ...['headline', 'subject'].map((name) => ({ name, label: name, type: 'string' })),
    ...['state', 'phase'].map(list),
  ];
  const platform = (title: string, status: string, more: readonly object[] = []) =>
    JSON.stringify({
      users: [],
      projects: [
        {
          shortname: 'p',
          label: 'P',
          trackers: [
            {
              item_name: 'bug',
              label: 'Bugs',
              fields: [...fields, ...more],
              semantics: { title, status: { field: status, open: ['A'] } },
            },
          ],
        },
      ],
    });
  let api: ArtifactApi;
  let ids: readonly number[];
  beforeEach(async () => {
    api = await artifactApi({ platform: platform('headline', 'phase') });
    const facts = Array.from({ length: COUNT }, (_, n) => ({
      [api.field('bug', 'headline')]: `h${n % 5}`,
      [api.field('bug', 'subject')]: `s${COUNT - n}`,
      [api.field('bug', 'state')]: [api.value('bug', 'state', 'ABC'[n % 3]!)],
      [api.field('bug', 'phase')]: [api.value('bug', 'phase', 'CAB'[n % 3]!)],
    }));
    ids = await plantedArtifacts(api, api.tracker('bug'), facts);
  });
  afterEach(() => api.stop());

  const become = (text: string): Promise<unknown> => api.operate('apply', { text, prune: false, env: {} });
  const begun = async (sort: string) => {
    const first = await api.get(`/trackers/${api.tracker('bug')}/artifacts?limit=5&sort=${sort}`);
    return { items: idsIn(first.body), next: nextOf(first.headers) };
  };
  const nextOf = (headers: Headers): string => /\/api([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
  const idsIn = (body: unknown): readonly number[] => (body as readonly { id: number }[]).map(({ id }) => id);

  const MOVES: readonly (readonly [what: string, sort: string, platform: string])[] = [
    ['the title is another field', 'title', platform('subject', 'phase')],
    ['the status is another field', '-status', platform('headline', 'state')],
    ['another field has the name', 'status', platform('headline', 'phase', [list('status')])],
    ['one of several is another field', 'subject,title,status', platform('headline', 'state')],
  ];
  for (const [what, sort, moved] of MOVES) {
    it(`is answered 400 once ${what}, also where the page was given before`, async () => {
      const { next } = await begun(sort);
      for (let n = 0; n < 2; n += 1) expect((await api.get(next)).status).to.equal(200);
      await become(moved);
      const { status, body } = await api.get(next);
      expect([status, body.error.details]).to.deep.equal([
        400,
        [{ pointer: 'cursor', message: 'was made when `sort` named other fields; start again without it' }],
      ]);
    });
  }

  it('goes on, whatever else moves', async () => {
    let { items, next } = await begun('title');
    await become(platform('headline', 'state'));
    while (next !== '') {
      const { body, headers } = await api.get(next);
      items = [...items, ...idsIn(body)];
      next = nextOf(headers);
    }
    expect(items.toSorted((a, b) => a - b)).to.deep.equal(ids);
  });
});
