import { expect } from 'chai';
import fc from 'fast-check';
import { lookup, lookupAll } from '../../../src/artifacts/fields/lookup.js';

const item = fc.record({ key: fc.option(fc.constantFrom('a', 'b', 'c', ''), { nil: undefined }), nth: fc.nat() });

describe('A look-up', () => {
  it('finds what walking the list would find', () => {
    const find = lookup(({ key }: { readonly key: string | undefined; readonly nth: number }) => key);
    fc.assert(
      fc.property(fc.array(item), fc.constantFrom('a', 'b', 'c', '', 'd'), (items, wanted) => {
        expect(find(items, wanted)).to.equal(items.find(({ key }) => key === wanted));
      }),
    );
  });

  it('for all finds what filtering the list would find', () => {
    const findAll = lookupAll(({ key }: { readonly key: string | undefined; readonly nth: number }) => key);
    fc.assert(
      fc.property(fc.array(item), fc.constantFrom('a', 'b', 'c', '', 'd'), (items, wanted) => {
        expect(findAll(items, wanted)).to.deep.equal(items.filter(({ key }) => key === wanted));
      }),
    );
  });

  it('walks a list once for any number of calls', () => {
    let reads = 0;
    const find = lookup((number: number) => {
      reads += 1;
      return number;
    });
    const items = Array.from({ length: 1000 }, (_, index) => index);

    expect(items.map((number) => find(items, number))).to.deep.equal(items);
    expect(reads).to.equal(items.length);
  });
});
