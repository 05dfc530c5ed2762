/** The number of changes that readers may see, in memory that the thread that writes shares with those that read. */

/** Even; odd while a transaction may end at any moment. */
export type Changes = Int32Array;

export const noChanges = (): Changes => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Does what may change what readers see. */
export function counted<T>(changes: Changes, work: () => T): T {
  Atomics.add(changes, 0, 1);
  try {
    return work();
  } finally {
    Atomics.add(changes, 0, 1);
  }
}

/**
 * `asked`, which SQLite answers with another number after each commit of another connection. It is called only where
 * something may have changed since the last time, because it takes longer than the rest of a remembered answer.
 */
export function versionOf(asked: () => string, changes: Changes): () => string {
  let known: { readonly count: number; readonly version: string } | null = null;
  return () => {
    const count = Atomics.load(changes, 0);
    if (count === known?.count) return known.version;
    const version = asked();
    if (count % 2 === 0 && Atomics.load(changes, 0) === count) known = { count, version };
    return version;
  };
}
