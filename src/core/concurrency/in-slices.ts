import { othersTurn } from './others-turn.js';

/** Of JSON. */
const SLICE_CHARACTERS = 256 * 1024;
const SLICE_ITEMS = 50;

/**
 * Some at a time, by how many characters of each are shown, so that no slice takes long. One item may be larger than a
 * slice. Others have their turn between slices.
 */
export async function* inSlices<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
): AsyncGenerator<readonly T[], void, void> {
  let slice: T[] = [];
  let size = 0;
  for (const [index, item] of items.entries()) {
    slice.push(item);
    size += sizeOf(item);
    const isFull = size >= SLICE_CHARACTERS || slice.length >= SLICE_ITEMS;
    if (!isFull && index < items.length - 1) continue;
    yield slice;
    slice = [];
    size = 0;
    if (index < items.length - 1) await othersTurn();
  }
}
