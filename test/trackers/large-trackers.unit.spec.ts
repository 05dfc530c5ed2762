import { expect } from 'chai';
import { viewer, type Viewer } from '../../src/authorization/viewer.js';
import { visibleTracker } from '../../src/trackers/queries.js';
import { minimalTrackers, trackerStructure, trackerTexts, wholeTrackers } from '../../src/trackers/representation.js';
import { type Definitions } from '../../src/definitions/definitions.js';
import { PROJECT_MEMBERS } from '../../src/projects/project-events.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import {
  definitionsOf,
  fieldOf,
  listValueOf,
  projectOf,
  trackerOf,
  userOf,
  type GivenDefinitions,
} from '../support/definitions.js';
import { turns } from '../support/turns.js';

const FIELDS = 10;
const VALUES = 5000;

const numbered = <T>(count: number, make: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const project = projectOf();
const values = numbered(VALUES, (n) => listValueOf(1000 + n));
const tracker = trackerOf(numbered(FIELDS, (n) => fieldOf(500 + n, 'msb', { bind: 'static', values })));
const definitions = definitionsOf({ projects: [project], trackers: [tracker] });
const reader = viewer(definitions, null);

describe('a tracker of long lists', () => {
  it('is told field by field, and others have their turn in between', async () => {
    const loop = turns();
    let text = '';
    for await (const parts of trackerTexts(() => tracker, { definitions, viewer: reader })) text += parts.join('');
    loop.stop();
    expect(loop.count()).to.be.at.least(FIELDS - 1);
    expect(text).to.equal(JSON.stringify(trackerStructure(tracker, definitions, reader)));
  });

  it('looks once for the members of groups to which many lists are bound', () => {
    const user = userOf(114);
    const bound = trackerOf(
      numbered(FIELDS, (n) => fieldOf(500 + n, 'msb', { bind: 'users', from: [PROJECT_MEMBERS] })),
    );
    let count = 0;
    const known = definitionsOf({ users: [user], projects: [projectOf({ members: [user.id] })], trackers: [bound] });
    const find = (id: number) => ((count += 1), known.user(id));
    const { fields } = trackerStructure(bound, { ...known, user: find }, reader);
    expect(fields.map((field) => field.toJSON())).to.have.length(FIELDS);
    expect(count).to.equal(1);
  });

  const hidden = trackerOf(tracker.fields, {
    permissions: { ...tracker.view.permissions, access: [PROJECT_MEMBERS] },
  });
  const withoutFields = trackerOf(
    tracker.fields.map((field) => ({ ...field, permissions: { ...field.permissions, read: [PROJECT_MEMBERS] } })),
  );
  const unavailable = { kind: 'unavailable', retryAfter: 1 };

  it('is left out of no list in its minimal form: once its reader no longer has the tracker, the list is refused', async () => {
    let now = tracker;
    const live: Definitions = { ...definitions, tracker: () => now };
    const texts = minimalTrackers([tracker, tracker], { definitions: live, viewer: viewer(live, null) }, () => []);
    expect((await texts.next()).value).to.have.length(1);
    now = hidden;
    expect(await rejection(texts.next())).to.include(unavailable);
  });

  const forbidden = { kind: 'forbidden' };
  /** What its own route and the list of its project answer then. */
  const narrowed: Readonly<Record<string, readonly [now: GivenDefinitions, alone: object, listed: object]>> = {
    'has its project': [{ projects: [projectOf({ access: 'private' })], trackers: [tracker] }, forbidden, forbidden],
    'has the tracker': [{ projects: [project], trackers: [hidden] }, { kind: 'not-found' }, unavailable],
    'has the fields': [{ projects: [project], trackers: [withoutFields] }, unavailable, unavailable],
  };
  for (const [what, [given, alone, listed]] of Object.entries(narrowed)) {
    it(`is told no further once its reader no longer ${what}`, async () => {
      const visible = (live: Definitions, who: Viewer) => visibleTracker(live, who, tracker.id);
      const ways: readonly (readonly [(live: Definitions, who: Viewer) => AsyncIterator<unknown>, object])[] = [
        [(live, who) => trackerTexts(() => visible(live, who), { definitions: live, viewer: who }), alone],
        [(live, who) => wholeTrackers([tracker], { definitions: live, viewer: who }), listed],
      ];
      for (const [textsOf, answer] of ways) {
        let now = definitions;
        const live: Definitions = {
          ...definitions,
          tracker: (id) => now.tracker(id),
          project: (id) => now.project(id),
        };
        const texts = textsOf(live, viewer(live, null));
        const first = texts.next();
        now = definitionsOf(given);
        const rest = (async () => {
          await first;
          while ((await texts.next()).done !== true);
        })();
        expect(await rejection(rest)).to.include(answer);
      }
    });
  }
});
