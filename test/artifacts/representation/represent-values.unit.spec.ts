import { expect } from 'chai';
import fc from 'fast-check';
import { type FieldValue } from '../../../src/trackers/field-types/field-value.js';
import { isObject } from '../../../src/artifacts/fields/field-input.js';
import { representByField, representValues } from '../../../src/artifacts/representation/represent-values.js';
import { sameValue } from '../../../src/artifacts/fields/values.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type Field } from '../../../src/trackers/field-types/definition.js';
import { artifactOf, definitionsOf, fieldOf, listValueOf, trackerOf } from '../../support/definitions.js';
import { htmlAtOnce } from '../fields/html-at-once.js';
import { ALICE, BOB, DEVELOPERS, PLACE, read, UNRELATED, written } from '../fields/setting.js';

const secret = { permissions: { read: [4], submit: null, update: null } };
const tracker = trackerOf([
  fieldOf(1, 'fieldset', { fields: [fieldOf(5, 'string', { name: 'title' }), fieldOf(4, 'int', { name: 'points' })] }),
  fieldOf(3, 'aid', { name: 'id' }),
  fieldOf(2, 'string', { name: 'secret', ...secret }),
  fieldOf(6, 'date', { name: 'due' }),
  fieldOf(7, 'string', { name: '__proto__' }),
  fieldOf(8, 'string', { name: 'dropped', used: false }),
]);
const artifact = artifactOf(220, {
  values: { 2: 'hush', 4: 5, 5: 'Crash', 6: { date: '2024-03-05' }, 7: 'p', 8: 'x' },
});
const definitions = definitionsOf({ ...PLACE, trackers: [tracker] });
const as = (user: typeof ALICE | null) => ({
  definitions,
  viewer: viewer(definitions, user),
  related: UNRELATED,
  htmlOf: htmlAtOnce,
});

describe('The values of an artifact', () => {
  it('are read in display order, without those that the reader may not read', () => {
    const ids = (user: typeof ALICE | null) =>
      representValues(tracker, artifact, as(user)).map((value) => ('field_id' in value ? value.field_id : null));
    expect(ids(ALICE)).to.deep.equal([5, 4, 3, 2, 6, 7]);
    expect(ids(BOB)).to.deep.equal([5, 4, 3, 6, 7]);
    expect(ids(null)).to.deep.equal([5, 4, 3, 6, 7]);
  });

  it('are empty in texts, lists and dates that were never given, and missing in other fields', () => {
    const types = ['string', 'text', 'date', 'sb', 'rb', 'msb', 'cb', 'tbl', 'int', 'float', 'file', 'perm'] as const;
    const given = trackerOf(types.map((type, n) => fieldOf(n + 1, type)));
    const known = definitionsOf({ ...PLACE, trackers: [given] });
    const shown = (value?: FieldValue) => {
      const values = value === undefined ? {} : Object.fromEntries(types.map((_, n) => [n + 1, value]));
      return representValues(given, artifactOf(220, { values }), { ...as(null), definitions: known });
    };
    const { length } = ['string', 'text', 'date', 'sb', 'rb', 'msb', 'cb', 'tbl'];
    expect(shown()).to.deep.equal(shown(null).slice(0, length));
    expect(shown()[0]).to.deep.equal({ field_id: 1, type: 'string', label: 'string 1', value: '' });
  });
});

describe('The values of an artifact by field name', () => {
  it('are those of strings, texts and numbers, and null where no number was stored', () => {
    const values = representByField(tracker, artifactOf(220, { values: { 5: 'Crash' } }), as(null));
    expect(Object.keys(values)).to.have.members(['title', 'points', 'id', '__proto__']);
    expect(values['title']).to.include({ field_id: 5, value: 'Crash' });
    expect(values['id']).to.include({ value: 220 });
    expect(values['points']).to.equal(null);
    expect(values['__proto__']).to.include({ field_id: 7, value: '' });
  });

  it('bear any name', () => {
    const json = JSON.stringify(representByField(tracker, artifact, as(null)));
    expect(json).to.include('"__proto__":{"field_id":7,"type":"string","label":"string 7","value":"p"}');
    expect('toString' in representByField(tracker, artifact, as(null))).to.equal(false);
  });
});

describe('What is read and sent back', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
  const line = text.filter((value) => !/[\r\n\0]/.test(value));
  const values = [listValueOf(12), listValueOf(13), listValueOf(14)];
  const day = fc
    .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  const links = fc.uniqueArray(
    fc.record({ id: fc.integer({ min: 1, max: 99 }), type: fc.constantFrom('', '_is_child', 'fixed_in') }),
    { selector: ({ id }) => id },
  );
  const roundTrips: readonly (readonly [Field, fc.Arbitrary<FieldValue>])[] = [
    [fieldOf(1, 'string'), fc.option(line)],
    [fieldOf(1, 'text'), fc.record({ text, format: fc.constantFrom('text', 'html', 'commonmark') })],
    [fieldOf(1, 'int'), fc.option(fc.maxSafeInteger())],
    [fieldOf(1, 'float'), fc.option(finite)],
    [fieldOf(1, 'date'), fc.option(day.map((date) => ({ date: date.slice(0, 10) })))],
    [fieldOf(1, 'date', { time: true }), day.map((date) => ({ date: `${date.slice(0, 16)}:00Z` }))],
    [fieldOf(1, 'sb', { bind: 'static', values }), fc.constantFrom([], [12], [14])],
    [fieldOf(1, 'msb', { bind: 'static', values }), fc.subarray([12, 13, 14])],
    [fieldOf(1, 'msb', { bind: 'users', from: [3] }), fc.subarray([ALICE.id, BOB.id])],
    [fieldOf(1, 'cb', { bind: 'user_groups', from: [1, 3, DEVELOPERS] }), fc.subarray([1, 3, DEVELOPERS])],
    [fieldOf(1, 'tbl', { bind: 'static', values }), fc.subarray([{ bound: 12 }, { bound: 13 }])],
    [
      fieldOf(1, 'computed'),
      fc.oneof(
        finite.map((manual) => ({ manual })),
        fc.constant({ auto: true as const }),
      ),
    ],
  ];
  for (const [field, value] of roundTrips) {
    it(`is what was held: ${field.type} ${field.bind ?? ''}`, () => {
      fc.assert(
        fc.property(value, (held) => {
          const sent = JSON.parse(JSON.stringify(read(field, held))) as unknown;
          expect(isObject(sent) && sameValue(written(field, sent, held), held)).to.equal(true);
        }),
        { numRuns: 200 },
      );
    });
  }

  it('is what was held: art_link', () => {
    const field = fieldOf(1, 'art_link');
    const related = { ...UNRELATED, linked: (id: number) => artifactOf(id) };
    fc.assert(
      fc.property(links, (held) => {
        expect(written(field, { ...read(field, held, { related }) }, held)).to.deep.equal(held);
      }),
    );
  });

  it('is what was held: perm', () => {
    const field = fieldOf(1, 'perm');
    fc.assert(
      fc.property(fc.subarray([1, 2, 3, 4, DEVELOPERS]), (held) => {
        const sent = read(field, held);
        const granted_groups = sent && 'granted_groups_ids' in sent ? sent.granted_groups_ids : [];
        expect(written(field, { value: { granted_groups } }, held)).to.deep.equal(held);
      }),
    );
  });
});
