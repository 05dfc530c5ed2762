import { expect } from 'chai';
import { type FieldValue } from '../../../src/trackers/field-types/field-value.js';
import { isEmptyValue } from '../../../src/trackers/field-types/canonical.js';
import { sameValue } from '../../../src/artifacts/fields/values.js';

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
