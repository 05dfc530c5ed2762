/** What `find` would find in a list that never changes, without walking it: the first item of this key. */
export type Lookup<Item, Key> = (items: readonly Item[], key: Key) => Item | undefined;

/** Each list is walked once, for as long as it is held. An item without a key is never found. */
export function lookup<Item, Key>(keyOf: (item: Item) => Key | undefined): Lookup<Item, Key> {
  const all = lookupAll(keyOf);
  return (items, key) => all(items, key)[0];
}

/** What `filter` would find, alike. */
export function lookupAll<Item, Key>(
  keyOf: (item: Item) => Key | undefined,
): (items: readonly Item[], key: Key) => readonly Item[] {
  const known = new WeakMap<readonly Item[], ReadonlyMap<Key, readonly Item[]>>();
  return (items, key) => {
    if (items.length === 0) return [];
    const index = known.get(items) ?? indexOf(items, keyOf);
    known.set(items, index);
    return index.get(key) ?? [];
  };
}

function indexOf<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key | undefined,
): ReadonlyMap<Key, readonly Item[]> {
  const index = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const alike = index.get(key);
    if (alike === undefined) index.set(key, [item]);
    else alike.push(item);
  }
  return index;
}
