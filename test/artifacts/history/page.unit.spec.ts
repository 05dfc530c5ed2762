import { expect } from 'chai';
import fc from 'fast-check';
import { pageOf, spanOf } from '../../../src/artifacts/history/page.js';

const orders = fc.constantFrom('asc' as const, 'desc' as const);
const few = fc.integer({ min: 0, max: 12 });

describe('a page of the revisions of a stream', () => {
  it('is a part of all of them, in its order', () => {
    fc.assert(
      fc.property(orders, few, few, fc.integer({ min: 0, max: 60 }), (order, limit, offset, count) => {
        const items = Array.from({ length: count }, (_, n) => 3 * n);
        const inOrder = order === 'asc' ? items : items.toReversed();
        expect(pageOf(items, { order, limit, offset })).to.deep.equal(inOrder.slice(offset, offset + limit));
      }),
    );
  });

  it('is nowhere behind the last of them', () => {
    const far = { limit: 1000, offset: Number.MAX_SAFE_INTEGER };
    expect(spanOf({ order: 'asc', ...far }, 7)).to.deep.equal({ from: 7, to: 7 });
    expect(spanOf({ order: 'desc', ...far }, 7)).to.deep.equal({ from: 0, to: 0 });
  });
});
