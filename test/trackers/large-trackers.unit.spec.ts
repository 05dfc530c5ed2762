import { expect } from 'chai';
import { viewer } from '../../src/authorization/viewer.js';
import { trackerStructure, trackerTexts } from '../../src/trackers/representation.js';
import { type Definitions } from '../../src/definitions/definitions.js';
import { PROJECT_MEMBERS } from '../../src/projects/project-events.js';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import {
  definitionsOf,
  fieldOf,
  listValueOf,
  projectOf,
  trackerOf,
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
    for await (const parts of trackerTexts(tracker, definitions, reader)) text += parts.join('');
    loop.stop();
    expect(loop.count()).to.be.at.least(FIELDS - 1);
    expect(text).to.equal(JSON.stringify(trackerStructure(tracker, definitions, reader)));
  });

  it('looks once for the members of groups to which many lists are bound', () => {
    const bound = trackerOf(numbered(FIELDS, (n) => fieldOf(500 + n, 'msb', { bind: 'users', from: [1] })));
    let count = 0;
    const users = () => ((count += 1), definitions.users());
    const { fields } = trackerStructure(bound, { ...definitions, users }, reader);
    expect(fields.map((field) => field.toJSON())).to.have.length(FIELDS);
    expect(count).to.equal(1);
  });

  it('is told no further once its reader may not see the rest', async () => {
    const narrowed: Readonly<Record<string, GivenDefinitions>> = {
      'the project is private': { projects: [projectOf({ access: 'private' })], trackers: [tracker] },
      'the tracker is for members': {
        projects: [project],
        trackers: [
          trackerOf(tracker.fields, { permissions: { ...tracker.view.permissions, access: [PROJECT_MEMBERS] } }),
        ],
      },
      'the fields are for members': {
        projects: [project],
        trackers: [
          trackerOf(
            tracker.fields.map((field) => ({
              ...field,
              permissions: { ...field.permissions, read: [PROJECT_MEMBERS] },
            })),
          ),
        ],
      },
    };
    for (const [what, given] of Object.entries(narrowed)) {
      let now = definitions;
      const live: Definitions = {
        ...definitions,
        tracker: (id) => now.tracker(id),
        project: (id) => now.project(id),
      };
      const texts = trackerTexts(tracker, live, viewer(live, null));
      expect((await texts.next()).done, what).to.equal(false);
      now = definitionsOf(given);
      const rest = (async () => {
        for await (const parts of texts) expect(parts).not.to.equal(undefined);
      })();
      expect(await rejection(rest), what).to.include({ kind: 'unavailable', retryAfter: 1 });
    }
  });
});
