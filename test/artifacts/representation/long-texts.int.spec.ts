import { expect } from 'chai';
import { isRoomWanted, MOST_WAITING_ANSWERS, noteHeld } from '../../../src/core/logs/long-texts.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

/** In characters: shown as it is written, and as HTML. */
const LONG = 200_000;
/** In characters: more than a process holds while it makes a long text. */
const TOO_MUCH = MOST_WAITING_ANSWERS * 524_288;
/** Its values alone take more characters than are made at once. */
const choice = {
  name: 'choice',
  label: 'Choice',
  type: 'sb',
  values: Array.from({ length: 1000 }, (_, n) => ({ label: `Choice ${n}` })),
};

describe('an artifact with a long text, while answers that nobody takes fill the room for them', () => {
  let api: ArtifactApi;
  let long: number;
  let short: number;
  const untaken = [{}, {}, {}];
  const hold = (characters: number): void => {
    for (const answer of untaken) noteHeld(answer, characters);
  };
  before(async () => {
    api = await artifactApi({ platform: plainPlatform([{ name: 'about', label: 'About', type: 'text' }, choice]) });
    const about = String(api.field('bug', 'about'));
    const text = (length: number) => ({ [about]: { text: 'x'.repeat(length), format: 'text' as const } });
    [long = 0, short = 0] = await plantedArtifacts(api, api.tracker('bug'), [text(LONG), text(10)]);
  });
  beforeEach(() => {
    hold(TOO_MUCH);
  });
  afterEach(() => {
    hold(0);
  });
  after(() => api.stop());

  const ways = (id: number): Readonly<Record<string, string>> => ({
    'as it is': `/artifacts/${id}`,
    'as it was': `/artifacts/${id}?revision=0`,
    'in a list by id': `/artifacts?query=${encodeURIComponent(JSON.stringify({ id: [id] }))}`,
    'in a page of its tracker': `/trackers/${api.tracker('bug')}/artifacts?values=all&limit=1&order=asc&offset=${id - long}`,
    'with its changesets': `/artifacts/${id}/changesets`,
    'with its history': `/artifacts/${id}/history`,
    'with the fields of its tracker': `/artifacts/${short}?tracker_structure_format=${id === long ? 'complete' : 'minimal'}`,
  });

  it('waits until they are taken, and a short one does not', async () => {
    for (const [way, path] of Object.entries(ways(long))) {
      hold(TOO_MUCH);
      let isAnswered = false;
      const answer = api.get(path).finally(() => (isAnswered = true));
      const isThere = (): boolean => isAnswered;
      expect((await api.get(ways(short)[way]!)).status, way).to.equal(200);
      while (!isRoomWanted() && !isThere()) await new Promise(setImmediate);
      expect(isAnswered, way).to.equal(false);
      hold(0);
      expect((await answer).status, way).to.equal(200);
    }
  });
});
