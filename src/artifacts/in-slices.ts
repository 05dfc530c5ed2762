/** Of JSON. */
const SLICE_CHARACTERS = 256 * 1024;
const SLICE_ITEMS = 50;

/** Some at a time, by how much of each is shown, so that no slice takes long. One item may be larger than a slice. */
export function* inSlices<T>(
  items: readonly T[],
  shown: (item: T) => object | null,
): Generator<readonly T[], void, void> {
  let slice: T[] = [];
  let size = 0;
  for (const item of items) {
    slice.push(item);
    size += JSON.stringify(shown(item)).length;
    if (size < SLICE_CHARACTERS && slice.length < SLICE_ITEMS) continue;
    yield slice;
    slice = [];
    size = 0;
  }
  if (slice.length > 0) yield slice;
}
