import { expect } from 'chai';
import fc from 'fast-check';
import { withLeftOut } from '../../../src/platform-file/plan/member.js';
import { counted } from '../../support/counted.js';

interface Item {
  readonly id: number;
}

const itemsOf = (ids: readonly number[]): readonly Item[] => ids.map((id) => ({ id }));

/** The contract, an item at a time: each one that is left out goes behind the one that it stands behind now. */
function insertedInTurn(listed: readonly Item[], leftOut: readonly Item[], present: readonly Item[]): readonly Item[] {
  const items = [...listed];
  const first = items.findIndex(({ id }) => present.some((known) => known.id === id));
  let place = first === -1 ? items.length : first;
  for (const { id } of present) {
    const item = leftOut.find((left) => left.id === id);
    if (item !== undefined) items.splice(place, 0, item);
    const at = items.findIndex((candidate) => candidate.id === id);
    if (at !== -1) place = at + 1;
  }
  return items;
}

describe('items that a list of a platform file leaves out', () => {
  it('stay behind the items that they stand behind now', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 8 });
    // The list may name new items, and one twice; an item may be neither listed nor stay.
    const listedIds = fc.array(fc.integer({ min: 1, max: 16 }), { maxLength: 8 });
    fc.assert(
      fc.property(ids, listedIds, fc.func(fc.boolean()), (presentIds, named, stays) => {
        const [present, listed] = [itemsOf(presentIds), itemsOf(named)];
        const leftOut = present.filter(({ id }) => !named.includes(id) && stays(id));
        expect(withLeftOut(listed, leftOut, present)).to.deep.equal(insertedInTurn(listed, leftOut, present));
      }),
    );
  });

  it('are each looked at a few times, however many there are', () => {
    const all = Array.from({ length: 2000 }, (_, index) => index);
    const listed = counted(itemsOf(all.filter((id) => id % 2 === 0)));
    const leftOut = counted(itemsOf(all.filter((id) => id % 2 === 1)));
    const present = counted(itemsOf(all));
    expect(withLeftOut(listed.items, leftOut.items, present.items)).to.have.length(2000);
    expect(listed.reads() + leftOut.reads() + present.reads()).to.be.below(5 * 2000);
  });
});
