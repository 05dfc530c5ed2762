import { expect } from 'chai';
import fc from 'fast-check';
import { isObject, type FieldInput } from '../../../src/artifacts/fields/field-input.js';
import { parseValues, parseValuesByField } from '../../../src/artifacts/fields/parse-values.js';
import { Problem } from '../../../src/core/problem.js';
import { type FieldType } from '../../../src/trackers/field-types/definition.js';
import { definitionsOf, fieldOf, listValueOf, trackerOf } from '../../support/definitions.js';
import { htmlAtOnce } from './html-at-once.js';
import { PLACE, pointers, violations } from './setting.js';

const tracker = trackerOf([
  fieldOf(500, 'fieldset', { fields: [fieldOf(501, 'string', { name: 'title', label: 'Title' })] }),
  fieldOf(502, 'int', { name: 'points', label: 'Points' }),
  fieldOf(503, 'string', { name: 'unused', used: false }),
  fieldOf(504, 'string', { name: '__proto__', label: 'Prototype' }),
  fieldOf(505, 'computed', { name: 'a/b~c' }),
  fieldOf(506, 'date', { name: 'due', label: 'Due' }),
  fieldOf(507, 'art_link', { name: 'links' }),
  fieldOf(508, 'tbl', { name: 'labels', bind: 'static', values: [listValueOf(12, { label: 'red' })] }),
  fieldOf(509, 'subon', { name: 'submitted_on' }),
]);
const context = { definitions: definitionsOf(PLACE), htmlOf: htmlAtOnce };
const change = { ...context, artifact: { id: 220, values: {} } };
const parse = (inputs: readonly unknown[], given = change) => parseValues(tracker, inputs, given);
const byField = (inputs: string) => parseValuesByField(tracker, JSON.parse(inputs) as FieldInput, change);

describe('The values of a write', () => {
  it('are canonical, by field id', () => {
    const { values, pointers: places } = parse([
      { field_id: 502, value: '5' },
      { field_id: '501', value: 'a' },
      { field_id: 509, value: 'ignored' },
    ]);
    expect(values).to.deep.equal({ 501: 'a', 502: 5 });
    expect([...places]).to.deep.equal([
      [502, '/values/0'],
      [501, '/values/1'],
    ]);
  });

  it('count by the last element of a field, and say where that stands', () => {
    const { values, pointers: places } = parse([
      { field_id: 502, value: 'x' },
      { field_id: 502, value: 6 },
    ]);
    expect(values).to.deep.equal({ 502: 6 });
    expect(places.get(502)).to.equal('/values/1');
  });

  it('say where links and new labels stand', () => {
    const {
      links,
      openLists,
      pointers: places,
    } = parse([
      { field_id: 507, parent: { id: 9 } },
      { field_id: 508, bind_value_ids: ['new'] },
    ]);
    expect([...links.keys(), ...openLists.keys(), ...places.keys()]).to.deep.equal([507, 508, 507, 508]);
  });

  it('are refused with all that is wrong, each by its place and with its label', () => {
    const inputs = [
      { field_id: 501, value: 'a\nb' },
      { value: 'a' },
      { field_id: 5.5, value: 'a' },
      { field_id: 9999, value: 'a' },
      { field_id: 500, value: 'a' },
      { field_id: 503, value: 'a' },
      { field_id: 502, value: 'x' },
      null,
      'a',
      [],
    ];
    const details = violations(() => parse(inputs));
    expect(pointers(details)).to.have.members([
      '/values/0/value',
      '/values/1/field_id',
      '/values/2/field_id',
      '/values/3/field_id',
      '/values/4/field_id',
      '/values/5/field_id',
      '/values/6/value',
      '/values/7',
      '/values/8',
      '/values/9',
    ]);
    expect(details.find(({ pointer }) => pointer.startsWith('/values/3'))?.message).to.equal('Unknown field 9999');
    expect(details.find(({ pointer }) => pointer.startsWith('/values/6'))?.message).to.match(/^Points: /);
    expect(() => parse(inputs))
      .to.throw(Problem)
      .with.property('message')
      .that.includes('Unknown field 9999\n');
  });

  it('are refused with no more than a hundred reasons', () => {
    expect(violations(() => parse(Array.from({ length: 1000 }, () => 5)))).to.have.length(100);
  });

  it('are left out by null when the artifact is new', () => {
    const inputs = [501, 502, 506, 507, 508].map((field_id) => ({ field_id, value: null }));
    expect(parse(inputs, context as typeof change).values).to.deep.equal({});
    expect(parse(inputs.slice(0, 3)).values).to.deep.equal({ 501: null, 502: null, 506: null });
    expect(parse([{ field_id: 507, value: null, links: [] }], context as typeof change).values).to.deep.equal({
      507: [],
    });
  });

  it('take a null in "manual_value" of a new artifact for no number in a computed field, and for nothing in others', () => {
    const nulls = [501, 502, 505].map((field_id) => ({ field_id, value: null, manual_value: null }));
    expect(parse(nulls, context as typeof change).values).to.deep.equal({ 505: null });
    expect(parse([{ field_id: 505, manual_value: null }], context as typeof change).values).to.deep.equal({
      505: null,
    });
  });
});

describe('The values of a write by field name', () => {
  it('are those of strings, texts and numbers', () => {
    const { values, pointers: places } = byField(
      '{"title": {"value": "a"}, "points": {"value": 5}, "a/b~c": {"manual_value": 3}, "__proto__": {"value": "p"}}',
    );
    expect(values).to.deep.equal({ 501: 'a', 502: 5, 504: 'p', 505: { manual: 3 } });
    expect(places.get(505)).to.equal('/values_by_field/a~1b~0c');
  });

  it('are refused for unknown names, other types and missing values', () => {
    const details = violations(() =>
      byField(
        '{"constructor": {"value": 1}, "due": {"value": "2024-03-05"}, "title": {}, "points": 5, "unused": null}',
      ),
    );
    expect(pointers(details)).to.have.members([
      '/values_by_field/constructor',
      '/values_by_field/due',
      '/values_by_field/title',
      '/values_by_field/points',
      '/values_by_field/unused',
    ]);
    expect(violations(() => byField('{"__proto__": {}}'))[0]?.message).to.match(/^Prototype: /);
  });
});

describe('Whatever is sent', () => {
  const types: readonly FieldType[] = [
    'string', 'text', 'int', 'float', 'date', 'sb', 'rb', 'msb', 'cb', 'tbl', 'art_link', 'file', 'perm', 'computed',
    'aid', 'atid', 'subon', 'subby', 'lud', 'luby',
  ]; // prettier-ignore
  const binds = [undefined, 'static', 'users', 'user_groups'] as const;
  const fields = types.flatMap((type, index) =>
    binds.map((bind, at) =>
      fieldOf(600 + index * 10 + at, type, {
        maxChars: 3,
        from: [1, 3],
        values: [listValueOf(12)],
        ...(bind && { bind }),
      }),
    ),
  );
  const whole = trackerOf(fields);
  const member = fc.constantFrom(
    'value', 'bind_value_ids', 'links', 'parent', 'all_links', 'manual_value', 'is_autocomputed', 'id', 'type',
    'bind_value_objects', 'label', 'username', 'email', 'short_name', 'granted_groups', 'is_used_by_default',
    'content', 'format', 'direction', 'commonmark', '__proto__',
  ); // prettier-ignore
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(null, true, 0, 100, 12, 3, -1.5, '', '12', '110_3', 'o1', '2024-02-30', '\ud800', 'forward'),
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(member, tie('json'), { maxKeys: 5 }),
    ),
  }));
  const element = fc.tuple(fc.constantFrom(...fields.map(({ id }) => id)), fc.dictionary(member, json, { maxKeys: 5 }));

  it('is parsed or refused', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(json, element), { maxLength: 5 }), fc.boolean(), (inputs, isNew) => {
        const elements = inputs.map((input) =>
          Array.isArray(input) && isObject(input[1]) ? { ...input[1], field_id: input[0] as unknown } : input,
        );
        violations(() => parseValues(whole, elements, isNew ? context : change));
      }),
      { numRuns: 1000 },
    );
  });

  it('is parsed or refused by name', () => {
    const name = fc.constantFrom(...fields.map((field) => field.name), '__proto__', 'toString');
    fc.assert(
      fc.property(fc.dictionary(name, json), (inputs) => {
        violations(() => parseValuesByField(whole, inputs, change));
      }),
      { numRuns: 300 },
    );
  });
});
