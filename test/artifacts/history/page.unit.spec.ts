import { expect } from 'chai';
import fc from 'fast-check';
import { pageOf } from '../../../src/artifacts/history/page.js';

const orders = fc.constantFrom('asc' as const, 'desc' as const);
const few = fc.integer({ min: 0, max: 12 });

describe('a page of what comes one by one', () => {
  it('is what it would be of a list that is whole', () => {
    fc.assert(
      fc.property(orders, few, few, fc.integer({ min: 0, max: 60 }), (order, limit, offset, count) => {
        const items = Array.from({ length: count }, (_, n) => n);
        const page = pageOf<number>({ order, limit, offset });
        for (const item of items) page.add(item);
        const inOrder = order === 'asc' ? items : items.toReversed();
        expect(page.items()).to.deep.equal(inOrder.slice(offset, offset + limit));
        expect(page.total()).to.equal(count);
      }),
    );
  });

  it('keeps nothing where nothing is asked for but how many there are', () => {
    const page = pageOf<number>({ order: 'desc', limit: 0, offset: 0 });
    // Kept, so many would be copied each time that another one comes.
    for (let n = 0; n < 1_000_000; n += 1) page.add(n);
    expect([page.total(), page.items()]).to.deep.equal([1_000_000, []]);
  });
});
