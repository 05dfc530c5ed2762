import { expect } from 'chai';
import { viewer } from '../../src/authorization/viewer.js';
import { type Definitions } from '../../src/definitions/definitions.js';
import { ClientLeft } from '../../src/http/gone.js';
import { PROJECT_MEMBERS } from '../../src/projects/project-events.js';
import { minimalTrackers, trackerStructure, trackerTexts, wholeTrackers } from '../../src/trackers/representation.js';
import { type UserView } from '../../src/users/user-view.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import { definitionsOf, fieldOf, projectOf, trackerOf, userOf } from '../support/definitions.js';

/** In characters. */
const MADE_AT_ONCE = 262_144;
/** Of a user as the value of a list. */
const LONGEST_TEXT = 1000;
const MEMBERS = 2500;

const ids = Array.from({ length: MEMBERS }, (_, n) => 200 + n);
const project = projectOf({ members: ids });
const lists = (['sb', 'msb', 'cb'] as const).map((type, n) =>
  fieldOf(500 + n, type, { bind: 'users', from: [PROJECT_MEMBERS] }),
);
const tracker = trackerOf([fieldOf(499, 'string'), ...lists, fieldOf(510, 'tbl', { bind: 'users' })]);
const definitionsWith = (users: readonly UserView[]): Definitions => {
  const byId = new Map(users.map((user) => [user.id, user]));
  return { ...definitionsOf({ projects: [project], trackers: [tracker] }), user: (id) => byId.get(id) };
};
const definitions = definitionsWith(ids.map((id) => userOf(id)));
const reading = { definitions, viewer: viewer(definitions, null) };
const structure = JSON.stringify(trackerStructure(tracker, definitions, reading.viewer));

const WAYS = {
  'a tracker': () => trackerTexts(() => tracker, reading),
  'a list of trackers': () => wholeTrackers([tracker, tracker], reading),
};
const WHOLE = { 'a tracker': structure, 'a list of trackers': `[${structure},${structure}]` };

async function textOf(texts: AsyncIterable<readonly string[]>): Promise<string> {
  let text = '';
  for await (const parts of texts) text += parts.join('');
  return text;
}

describe('lists of many users', () => {
  for (const what of ['a tracker', 'a list of trackers'] as const) {
    it(`are never one text: ${what} comes in parts of 256 KiB and one user`, async () => {
      const sizes: number[] = [];
      for await (const parts of WAYS[what]()) sizes.push(parts.join('').length);
      expect(Math.max(...sizes)).to.be.below(MADE_AT_ONCE + LONGEST_TEXT);
      expect(await textOf(WAYS[what]())).to.equal(WHOLE[what]);
    });
  }

  it('are the same as JSON where groups have no members', async () => {
    const empty = definitionsWith([]);
    const who = viewer(empty, null);
    const texts = wholeTrackers([tracker], { definitions: empty, viewer: who });
    expect(await textOf(texts)).to.equal(JSON.stringify([trackerStructure(tracker, empty, who)]));
    expect(await textOf(wholeTrackers([], reading))).to.equal('[]');
  });

  it('share the text of a user, which is made anew once the user has changed', async () => {
    let made = 0;
    const user: UserView = {
      ...userOf(200),
      get realName() {
        made += 1;
        return 'Ann';
      },
    };
    const read = (user: UserView) => {
      const live = definitionsWith([user]);
      return textOf(trackerTexts(() => tracker, { definitions: live, viewer: viewer(live, null) }));
    };
    for (let reader = 0; reader < 3; reader += 1) expect(await read(user)).to.include('Ann (user200)');
    expect(made).to.equal(1);
    expect(await read(userOf(200, { realName: 'Anna' }))).to.include('Anna (user200)');
  });
});

describe('a reader of trackers who leaves', () => {
  const left = (make: (gone: AbortSignal) => AsyncIterator<unknown>) => async () => {
    const leaving = new AbortController();
    const texts = make(leaving.signal);
    expect(await texts.next()).to.include({ done: false });
    leaving.abort(new ClientLeft());
    expect(await rejection(texts.next())).to.be.instanceOf(ClientLeft);
    expect(await texts.next()).to.include({ done: true });
  };
  const short = trackerOf([fieldOf(499, 'string')]);
  const given = definitionsOf({ projects: [project], trackers: [short] });
  const ofShort = { definitions: given, viewer: viewer(given, null) };

  it(
    'has a tracker made no further',
    left((gone) => trackerTexts(() => tracker, { ...reading, gone })),
  );
  it(
    'has a list of long trackers made no further',
    left((gone) => wholeTrackers([tracker], { ...reading, gone })),
  );
  it(
    'has a list of short trackers made no further',
    left((gone) => wholeTrackers([short, short], { ...ofShort, gone })),
  );
  it(
    'has a list of minimal trackers made no further',
    left((gone) => minimalTrackers([short, short], { ...ofShort, gone }, () => [])),
  );
});
