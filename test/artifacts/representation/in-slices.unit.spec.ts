import { expect } from 'chai';
import fc from 'fast-check';
import { inSlices } from '../../../src/artifacts/representation/in-slices.js';

const LARGEST = 256 * 1024;

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

async function slicesOf(sizes: readonly number[]): Promise<readonly (readonly number[])[]> {
  const slices: (readonly number[])[] = [];
  for await (const slice of inSlices(sizes, (size) => size)) slices.push(slice);
  return slices;
}

describe('slices of what is shown', () => {
  it('hold every item once, in order, and are as long as 50 items or 256 KiB and one item allow', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 2 * LARGEST }), { maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(sizes, async (items) => {
        const slices = await slicesOf(items);
        expect(slices.flat()).to.deep.equal(items);
        for (const slice of slices) {
          expect(slice.length).to.be.within(1, 50);
          expect(sumOf(slice.slice(0, -1))).to.be.below(LARGEST);
        }
        for (const slice of slices.slice(0, -1)) expect(slice.length === 50 || sumOf(slice) >= LARGEST).to.equal(true);
      }),
    );
  });

  it('give others their turn in between', async () => {
    let turns = 0;
    const next = (): void => {
      turns += 1;
      if (turns < 1000) setImmediate(next);
    };
    setImmediate(next);
    const slices = await slicesOf(Array.from({ length: 500 }, () => 1));
    expect(slices).to.have.length(10);
    expect(turns).to.be.at.least(9);
    turns = 1000;
  });
});
