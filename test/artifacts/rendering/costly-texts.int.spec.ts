import { expect } from 'chai';
import { artifactApi, elementsOf, type ArtifactApi, type Json } from '../artifact-api.js';
import { openBrackets } from './costly-texts.js';

const ARTIFACTS = 5;

describe('texts that cost much to render', () => {
  let api: ArtifactApi;
  const ids: number[] = [];
  before(async () => {
    api = await artifactApi();
    for (let index = 0; index < ARTIFACTS; index += 1) ids.push(await api.created([described(costly(index))]));
    for (let index = 0; index < ARTIFACTS; index += 1) {
      const comment = { body: costly(ARTIFACTS + index), format: 'commonmark' };
      await api.changed(ids[0]!, [], { comment });
    }
  });
  after(() => api.stop());

  const costly = (index: number): string => `${index} ${openBrackets}`.slice(0, 65_535);
  const described = (content: string): Json => api.set('description', { value: { content, format: 'commonmark' } });

  /** What others are answered while an answer is being made; the order in which all of them came. */
  async function besides(path: string): Promise<{ readonly answers: readonly number[]; readonly first: boolean }> {
    let isAnswered = false;
    const costlyAnswer = api.get(path).then(({ status }) => {
      isAnswered = true;
      return status;
    });
    const ordinary = await api.created([described(`an *ordinary* text, read while others read ${path}`)]);
    const shown = await api.get(`/artifacts/${ordinary}`, { as: 'carol' });
    expect(htmlIn(elementsOf(shown))).to.contain('<em>ordinary</em>');
    for (let time = 0; time < 20; time += 1) expect((await fetch(`${api.url}/health/live`)).status).to.equal(200);
    const first = !isAnswered;
    return { answers: [await costlyAnswer], first };
  }

  const htmlIn = (elements: readonly Json[]): unknown =>
    elements.find(({ field_id: id }) => id === api.field('bug', 'description'))?.['value'];

  for (const [what, path] of [
    ['a page of artifacts', () => `/trackers/${api.tracker('bug')}/artifacts?values=all&limit=${ARTIFACTS}`],
    ['a page of changesets', () => `/artifacts/${ids[0]}/changesets?fields=comments`],
  ] as const) {
    it(`delay only the anonymous reader of ${what}`, async () => {
      expect(await besides(path())).to.deep.equal({ answers: [200], first: true });
    });
  }

  it('delay only the writer who sends them back', async () => {
    const text = costly(2 * ARTIFACTS);
    const elements = Array.from({ length: ARTIFACTS }, (_, index) =>
      api.set('description', { value: 'x', format: 'html', commonmark: `${index}${text}`.slice(0, 65_535) }),
    );
    let isAnswered = false;
    const writing = api.change(ids[1]!, elements).then(({ status }) => {
      isAnswered = true;
      return status;
    });
    for (let time = 0; time < 20; time += 1) await fetch(`${api.url}/health/live`);
    expect(isAnswered).to.equal(false);
    expect(await writing).to.equal(200);
  });
});
