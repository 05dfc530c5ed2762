import { expect } from 'chai';
import { changesetGroups } from '../../../src/artifacts/history/changeset-groups.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

/** In characters: shown as it is written, and as HTML. */
const LONG = 60_000;

describe('the changesets of a page', () => {
  let api: ArtifactApi;
  before(async () => {
    api = await artifactApi({ platform: plainPlatform([{ name: 'about', label: 'About', type: 'text' }]) });
  });
  after(() => api.stop());

  /** How many of four are held at once, one group after the other. */
  const groupsOf = async (characters: number, revisions: readonly number[]): Promise<readonly number[]> => {
    const about = (n: number) => api.set('about', { value: { content: `${n}`.repeat(characters), format: 'text' } });
    const id = await api.created([about(0)]);
    for (const n of [1, 2, 3]) await api.changed(id, [about(n)]);
    const groups: number[] = [];
    for await (const group of changesetGroups(revisions, { id, atid: 1 }, api.service)) groups.push(group.length);
    return groups;
  };

  it('are held a quarter of a million characters at a time, and one more where the oldest comes first', async () => {
    expect(await groupsOf(LONG, [0, 1, 2, 3])).to.deep.equal([3, 1]);
    expect(await groupsOf(LONG, [3, 2, 1, 0])).to.deep.equal([2, 2]);
  });

  it('are read at once where they are short', async () => {
    for (const revisions of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
    ]) {
      expect(await groupsOf(1, revisions)).to.deep.equal([4]);
    }
  });
});
