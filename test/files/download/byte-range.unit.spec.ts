import { expect } from 'chai';
import { byteRange } from '../../../src/files/download/byte-range.js';

describe('A Range header', () => {
  const cases: readonly [string, number, ReturnType<typeof byteRange>][] = [
    ['bytes=0-0', 10, { from: 0, to: 1 }],
    ['bytes=2-5', 10, { from: 2, to: 6 }],
    ['bytes=2-', 10, { from: 2, to: 10 }],
    ['bytes=2-99', 10, { from: 2, to: 10 }],
    ['bytes=-3', 10, { from: 7, to: 10 }],
    ['bytes=-99', 10, { from: 0, to: 10 }],
    ['Bytes = 1 - 2', 10, { from: 1, to: 3 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=10-20', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-5', 0, 'unsatisfiable'],
    ['bytes=99999999999999999999-', 10, 'unsatisfiable'],
    ['', 10, null],
    ['bytes=', 10, null],
    ['bytes=-', 10, null],
    ['bytes=5-2', 10, null],
    ['bytes=0-1,3-4', 10, null],
    ['items=0-1', 10, null],
    ['bytes=a-b', 10, null],
  ];

  it('of very many spaces is read at once', () => {
    expect(byteRange(`bytes=1-${' '.repeat(2_000_000)}x`, 10)).to.equal(null);
    expect(byteRange(`bytes=1-${' '.repeat(2_000_000)}`, 10)).to.deep.equal({ from: 1, to: 10 });
  });

  for (const [header, size, expected] of cases) {
    it(`"${header}" of ${size} bytes`, () => {
      expect(byteRange(header, size)).to.deep.equal(expected);
    });
  }
});
