import { expect } from 'chai';
import fc from 'fast-check';
import { jsonOfEach } from '../../src/http/json-of-each.js';
import { turns } from '../support/turns.js';

const AT_ONCE = 262_144;

const lengthOf = (texts: readonly string[]): number => texts.join('').length;

describe('the JSON of each', () => {
  it('has every text once, in order, in lists that are as long as 256 KiB and one text allow', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 2 * AT_ONCE }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(sizes, async (asked) => {
        const lists: (readonly string[])[] = [];
        for await (const list of jsonOfEach(asked, (size) => ({ text: 'x'.repeat(size) }))) lists.push(list);
        expect(lists.flat().map((text) => text.length - '{"text":""}'.length)).to.deep.equal(asked);
        for (const list of lists) expect(lengthOf(list.slice(0, -1))).to.be.below(AT_ONCE);
        for (const list of lists.slice(0, -1)) expect(lengthOf(list)).to.be.at.least(AT_ONCE);
      }),
    );
  });

  it('is made while others have their turn', async () => {
    const loop = turns();
    const madeIn: number[] = [];
    const items = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(AT_ONCE / 10) }));
    const represent = (item: object): object => {
      madeIn[loop.count()] = (madeIn[loop.count()] ?? 0) + 1;
      return item;
    };
    for await (const list of jsonOfEach(items, represent)) expect(list.length).to.be.at.most(10);
    loop.stop();
    expect(madeIn).to.deep.equal(Array.from({ length: 10 }, () => 10));
  });
});
