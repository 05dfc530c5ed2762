import { expect } from 'chai';
import { slicesOfRows, SLICE_ROWS, SLICE_SIZE } from '../../../src/stores/shared/read-slices.js';

async function* each(sizes: readonly number[]): AsyncGenerator<number> {
  yield* await Promise.resolve(sizes);
}

async function slicesOf(sizes: readonly number[]): Promise<readonly (readonly number[])[]> {
  const slices: (readonly number[])[] = [];
  for await (const slice of slicesOfRows(each(sizes), (size) => size)) slices.push(slice);
  return slices;
}

describe('Rows in slices', () => {
  it('are so many at most', async () => {
    const lengths = (await slicesOf(Array.from({ length: 2 * SLICE_ROWS + 1 }, () => 0))).map(({ length }) => length);
    expect(lengths).to.deep.equal([SLICE_ROWS, SLICE_ROWS, 1]);
  });

  it('are as large as a slice and one row more, each slice anew', async () => {
    const half = SLICE_SIZE / 2;
    expect(await slicesOf([half, half, half, 1, half, 2])).to.deep.equal([[half, half], [half, 1, half], [2]]);
  });
});
