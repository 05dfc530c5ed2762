/** What is worked through in slices lets other work of its thread come in between. */

/** Of rows: some milliseconds of work at most. */
export const SLICE_ROWS = 200;
/** Of what the rows hold. A single row may hold more. */
export const SLICE_SIZE = 256 * 1024;

/** Ends the iteration at a full slice: `isCut` says that there may be more. */
export function firstSlice<T>(
  rows: Iterable<T>,
  sizeOf: (row: T) => number,
): { readonly slice: readonly T[]; readonly size: number; readonly isCut: boolean } {
  const slice: T[] = [];
  let size = 0;
  for (const row of rows) {
    slice.push(row);
    size += sizeOf(row);
    if (slice.length >= SLICE_ROWS || size >= SLICE_SIZE) return { slice, size, isCut: true };
  }
  return { slice, size, isCut: false };
}

export async function* slicesOfRows<T>(
  rows: AsyncIterable<T>,
  sizeOf: (row: T) => number,
): AsyncGenerator<readonly T[]> {
  let slice: T[] = [];
  let size = 0;
  for await (const row of rows) {
    slice.push(row);
    size += sizeOf(row);
    if (slice.length < SLICE_ROWS && size < SLICE_SIZE) continue;
    yield slice;
    slice = [];
    size = 0;
  }
  if (slice.length > 0) yield slice;
}
