import { expect } from 'chai';
import { type TextRendering } from '../../../src/artifacts/rendering/text-rendering.js';
import { artifactJson, wholeJson } from '../../../src/artifacts/representation/artifact-json-cache.js';
import { flatJson } from '../../../src/artifacts/representation/flat-representation.js';
import { type Texts } from '../../../src/artifacts/representation/in-slices.js';
import { type Representing } from '../../../src/artifacts/representation/reading.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { displayName } from '../../../src/users/representation.js';
import { trackerStructure } from '../../../src/trackers/representation.js';
import { artifactOf, definitionsOf, fieldOf, projectOf, trackerOf, userOf } from '../../support/definitions.js';
import { turns } from '../../support/turns.js';

const USERS = 1000;
const FIELDS = 20;
/** In characters. */
const TURN = 256 * 1024;

const users = Array.from({ length: USERS }, (_, n) => userOf(1000 + n));
const ids = users.map(({ id }) => id);
const fields = Array.from({ length: FIELDS }, (_, n) => fieldOf(500 + n, 'msb', { bind: 'users', from: [3] }));
const tracker = trackerOf([...fields, fieldOf(600, 'string'), fieldOf(601, 'aid')]);
const definitions = definitionsOf({ users, projects: [projectOf({ members: ids })], trackers: [tracker] });
const texts: TextRendering = { htmlOf: () => Promise.resolve(() => ''), close: () => Promise.resolve() };
const readModels: unknown = null;
const reading = { definitions, texts, viewer: viewer(definitions, null), readModels } as Representing;

const holding = (id: number, lists: number) =>
  artifactOf(id, { values: Object.fromEntries(fields.slice(0, lists).map((field) => [field.id, ids])) });
const several = Array.from({ length: FIELDS }, (_, n) => holding(n + 1, 1));
const large = [holding(100, FIELDS)];

/** What is made, and in how many turns. */
async function made(lists: Texts) {
  const loop = turns();
  const all: string[] = [];
  for await (const some of lists) all.push(...some);
  loop.stop();
  return { all, turns: loop.count() };
}

const values = (text: string | undefined): readonly unknown[] => JSON.parse(text ?? '').values;

describe('artifacts with long lists', () => {
  const ways: Readonly<Record<string, (artifacts: typeof large) => Texts>> = {
    'as they are': (artifacts) => wholeJson(reading)(artifacts),
    'by the cache': (artifacts) => artifactJson(artifacts, reading, { values: 'collection' }),
  };
  for (const [way, make] of Object.entries(ways)) {
    it(`are represented ${way} one after the other, and others have their turn in between`, async () => {
      const { all, turns } = await made(make(several));
      expect(all.map((text) => values(text).length)).to.deep.equal(several.map(() => FIELDS + 2));
      expect(turns).to.be.at.least(several.length - 1);
    });

    it(`are represented ${way} list by list, and others have their turn in between`, async () => {
      const { all, turns } = await made(make(large));
      expect(values(all[0])).to.have.length(FIELDS + 2);
      expect(turns).to.be.at.least(Math.floor((all[0]?.length ?? 0) / TURN / 2));
    });
  }

  it('are flat rows list by list, and others have their turn between artifacts', async () => {
    const { all, turns } = await made(flatJson(reading, 'flat')(several));
    expect(JSON.parse(all[0] ?? '').msb_500).to.deep.equal(users.map(displayName));
    expect(turns).to.be.at.least(several.length - 1);
  });
});

describe('artifacts with thousands of empty fields', () => {
  const many = Array.from({ length: 3000 }, (_, n) => fieldOf(1000 + n, 'text'));
  const wide = trackerOf(many, { id: 777 });
  const known = definitionsOf({ projects: [projectOf()], trackers: [wide] });
  const context = { ...reading, definitions: known, viewer: viewer(known, null) };
  const empty = Array.from({ length: 6 }, (_, n) => artifactOf(n + 1, { trackerId: 777 }));

  it('are made one after the other, and others have their turn in between', async () => {
    for (const lists of [wholeJson(context)(empty), flatJson(context, 'flat')(empty)]) {
      const { all, turns } = await made(lists);
      expect(all).to.have.length(empty.length);
      expect(turns).to.be.at.least(empty.length - 1);
    }
  });
});

describe('an artifact with the whole structure of its tracker', () => {
  it('tells the structure field by field, and others have their turn in between', async () => {
    const { all, turns } = await made(
      artifactJson([artifactOf(1)], reading, { values: 'none', completeTracker: true }),
    );
    const structure = JSON.stringify(trackerStructure(tracker, definitions, reading.viewer));
    expect(all[0]).to.include(`"tracker":${structure},"project"`);
    expect(turns).to.be.at.least(Math.floor(structure.length / TURN / 2));
  });
});
