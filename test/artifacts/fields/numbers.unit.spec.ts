import { expect } from 'chai';
import { fieldOf } from '../../support/definitions.js';
import { pointers, read, refusal, written } from './setting.js';

const points = fieldOf(503, 'int', { label: 'Points' });
const ratio = fieldOf(504, 'float', { label: 'Ratio' });

describe('An int field', () => {
  const accepted: readonly (readonly [unknown, number | null])[] = [
    [42, 42],
    [-7, -7],
    ['42', 42],
    ['-7', -7],
    ['+7', 7],
    ['007', 7],
    [2 ** 53 - 1, 2 ** 53 - 1],
    [null, null],
    ['', null],
  ];
  for (const [value, canonical] of accepted) {
    it(`takes ${JSON.stringify(value)}`, () => {
      expect(written(points, { value }, 1)).to.equal(canonical);
    });
  }

  for (const value of [4.2, 2 ** 53, '9007199254740993', '4.2', '1e3', ' ', ' 4', 'x', true, [], {}]) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(pointers(refusal(points, { value }))).to.deep.equal(['/value']);
    });
  }

  it('treats -0 as 0', () => {
    expect(Object.is(written(points, { value: -0 }), 0)).to.equal(true);
    expect(Object.is(written(points, { value: '-0' }), 0)).to.equal(true);
  });

  it('is refused without a value', () => {
    expect(pointers(refusal(points, {}))).to.deep.equal(['']);
  });

  it('is read as a number or null, and left out while nothing was stored', () => {
    expect(read(points, 5)).to.deep.equal({ field_id: 503, type: 'int', label: 'Points', value: 5 });
    expect(read(points, null)).to.include({ value: null });
    expect(read(points, undefined)).to.equal(undefined);
  });
});

describe('A float field', () => {
  it('refuses a long text at once', () => {
    expect(pointers(refusal(ratio, { value: `${'1'.repeat(1_000_000)}x` }))).to.deep.equal(['/value']);
  });

  const accepted: readonly (readonly [unknown, number | null])[] = [
    [4.2, 4.2],
    [-3, -3],
    ['4.2', 4.2],
    ['1e3', 1000],
    ['-.5E-1', -0.05],
    ['4.', 4],
    [null, null],
    ['', null],
  ];
  for (const [value, canonical] of accepted) {
    it(`takes ${JSON.stringify(value)}`, () => {
      expect(written(ratio, { value }, 1)).to.equal(canonical);
    });
  }

  for (const value of ['1e999', 'Infinity', 'NaN', '0x10', ' ', '.', '1,5', false, [1], {}]) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(pointers(refusal(ratio, { value }))).to.deep.equal(['/value']);
    });
  }

  it('refuses a number too big to be one', () => {
    expect(pointers(refusal(ratio, { value: Number.POSITIVE_INFINITY }))).to.deep.equal(['/value']);
    expect(pointers(refusal(ratio, {}))).to.deep.equal(['']);
  });

  it('is read as a number or null', () => {
    expect(read(ratio, 0.5)).to.deep.equal({ field_id: 504, type: 'float', label: 'Ratio', value: 0.5 });
    expect(read(ratio, null)).to.include({ value: null });
  });
});
