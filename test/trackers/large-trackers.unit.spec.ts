import { expect } from 'chai';
import { viewer } from '../../src/authorization/viewer.js';
import { trackerStructure, trackerTexts } from '../../src/trackers/representation.js';
import { definitionsOf, fieldOf, listValueOf, projectOf, trackerOf } from '../support/definitions.js';
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
});
