import { expect } from 'chai';
import { array, assert, boolean, nat, property, tuple } from 'fast-check';
import { heap } from '../../../src/artifacts/rendering/heap.js';

interface Item {
  size: number;
}

describe('A heap', () => {
  it('has the least item at hand, whatever is added, changed and removed', () => {
    const steps = array(tuple(nat(9), nat(20), boolean()), { maxLength: 60 });
    assert(
      property(steps, (changes) => {
        const items = Array.from({ length: 10 }, (): Item => ({ size: 0 }));
        const held = new Set<Item>();
        const least = heap<Item>((a, b) => a.size - b.size);
        for (const [nth, size, isRemoved] of changes) {
          const item = items[nth];
          if (item === undefined) continue;
          item.size = size;
          if (isRemoved) least.remove(item);
          else least.place(item);
          if (isRemoved) held.delete(item);
          else held.add(item);
          const sizes = [...held].map((other) => other.size);
          expect(least.least()?.size).to.equal(sizes.length === 0 ? undefined : Math.min(...sizes));
        }
      }),
    );
  });

  it('compares few of its items when it loses the least one', () => {
    let comparisons = 0;
    const numbers = heap<number>((a, b) => {
      comparisons += 1;
      return a - b;
    });
    for (let number = 10_000; number > 0; number -= 1) numbers.place(number);
    comparisons = 0;
    for (let number = 1; number <= 100; number += 1) {
      expect(numbers.least()).to.equal(number);
      numbers.remove(number);
    }
    expect(comparisons).to.be.below(100 * 40);
  });
});
