import { expect } from 'chai';
import { cacheSize, heapSize, textSize } from '../../src/core/bounds.js';

const GIB = 1024 * 1024 * 1024;

describe('the size of a cache', () => {
  it('is full from two gibibytes of memory on, and a part of it with less', () => {
    expect([64 * GIB, 2 * GIB, GIB, GIB / 2].map((memory) => cacheSize(1000, memory))).to.deep.equal([
      1000, 1000, 500, 250,
    ]);
  });

  it('is above nothing and at most full here', () => {
    expect(cacheSize(1000)).to.be.within(1, 1000);
  });
});

describe('the size of a text in memory', () => {
  it('is one byte a character up to Latin-1, and two with any beyond', () => {
    expect(['', 'Grüße ÿ', 'Gr–e ÿ', '日本', 'ok 🎉'].map(textSize)).to.deep.equal([0, 7, 12, 4, 10]);
  });

  it('counts within a value', () => {
    expect(heapSize({ a: 'x'.repeat(1000), b: '–'.repeat(1000) }) - heapSize({ a: '', b: '' })).to.equal(3000);
  });
});
