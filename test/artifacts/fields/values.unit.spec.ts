import { expect } from 'chai';
import { type FieldValue } from '../../../src/trackers/field-types/field-value.js';
import { defaultsFor, isEmptyValue, requiredMissing, sameValue } from '../../../src/artifacts/fields/values.js';
import { fieldOf, listValueOf, trackerOf } from '../../support/definitions.js';

const EMPTY: readonly (FieldValue | undefined)[] = [undefined, null, '', [], { text: '', format: 'html' }];
const DIFFERENT: readonly FieldValue[] = [
  'a',
  '5',
  5,
  0,
  { text: 'a', format: 'text' },
  { text: 'a', format: 'html' },
  { text: 'b', format: 'html' },
  { date: '2024-03-05' },
  { date: '2024-03-05T00:00:00Z' },
  { auto: true },
  { manual: 5 },
  { manual: 0 },
  [5],
  [5, 6],
  [{ id: 5, type: '' }],
  [{ id: 5, type: '_is_child' }],
  [{ bound: 5 }],
  [{ open: 5, label: 'a' }],
];

describe('Two values', () => {
  it('are the same when both are empty', () => {
    for (const a of EMPTY) for (const b of EMPTY) expect(sameValue(a, b)).to.equal(true);
  });

  it('are the same when they are equal, and only then', () => {
    DIFFERENT.forEach((a, at) => {
      DIFFERENT.forEach((b, index) => {
        expect(sameValue(a, structuredClone(b)), `${JSON.stringify(a)} ${JSON.stringify(b)}`).to.equal(at === index);
      });
      for (const b of EMPTY) expect(sameValue(a, b) || sameValue(b, a)).to.equal(false);
    });
  });

  it('are the same lists in any order', () => {
    expect(sameValue([5, 6, 7], [7, 5, 6])).to.equal(true);
    expect(sameValue([5, 6], [5, 7])).to.equal(false);
    const links = [
      { id: 5, type: '' },
      { id: 6, type: '_is_child' },
    ];
    expect(sameValue(links, links.toReversed())).to.equal(true);
    expect(sameValue([{ bound: 5 }, { open: 5, label: 'a' }], [{ open: 5, label: 'a' }, { bound: 5 }])).to.equal(true);
  });
});

it('A value is empty exactly if it holds nothing', () => {
  expect(EMPTY.every(isEmptyValue)).to.equal(true);
  expect(DIFFERENT.some(isEmptyValue)).to.equal(false);
});

describe('Required fields', () => {
  it('are missing while they are empty, unless the service fills them', () => {
    const fields = [
      fieldOf(500, 'fieldset', { required: true, fields: [fieldOf(501, 'string', { required: true })] }),
      fieldOf(502, 'int', { required: true }),
      fieldOf(503, 'int'),
      fieldOf(504, 'int', { required: true, used: false }),
      fieldOf(505, 'aid', { required: true }),
      fieldOf(506, 'luby', { required: true }),
      fieldOf(507, 'sb', { required: true }),
    ];
    const missing = requiredMissing(trackerOf(fields), { 502: 0, 507: [] });
    expect(missing.map(({ id }) => id)).to.deep.equal([501, 507]);
  });
});

describe('A new artifact', () => {
  const values = [listValueOf(12), listValueOf(13, { hidden: true })];
  const defaults = (...fields: Parameters<typeof trackerOf>[0]) => defaultsFor(trackerOf(fields));

  it('holds the defaults of the fields that have one', () => {
    expect(
      defaults(
        fieldOf(501, 'string', { default: 'a' }),
        fieldOf(502, 'int', { default: 0 }),
        fieldOf(503, 'text', { default: { text: '', format: 'text' } }),
        fieldOf(504, 'msb', { bind: 'users', default: [115] }),
        fieldOf(505, 'int', { default: 5, used: false }),
        fieldOf(506, 'date'),
      ),
    ).to.deep.equal({ 501: 'a', 502: 0, 504: [115] });
  });

  it('holds no value that its list hides by now', () => {
    expect(
      defaults(
        fieldOf(501, 'msb', { bind: 'static', values, default: [12, 13] }),
        fieldOf(502, 'sb', { bind: 'static', values, default: [13] }),
        fieldOf(503, 'tbl', {
          bind: 'static',
          values,
          default: [{ bound: 13 }, { bound: 12 }, { open: 1, label: 'a' }],
        }),
        fieldOf(504, 'sb', { bind: 'static', default: [12] }),
      ),
    ).to.deep.equal({ 501: [12], 503: [{ bound: 12 }, { open: 1, label: 'a' }], 504: [12] });
  });

  it('computes what is computed', () => {
    expect(defaults(fieldOf(501, 'computed'), fieldOf(502, 'computed', { default: { manual: 3 } }))).to.deep.equal({
      501: { auto: true },
      502: { manual: 3 },
    });
  });
});
