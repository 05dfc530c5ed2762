/** What `find` would find in a list that never changes, without walking it: the first item of this key. */
export type Lookup<Item, Key> = (items: readonly Item[], key: Key) => Item | undefined;

/** Each list is walked once, for as long as it is held. An item without a key is never found. */
export function lookup<Item, Key>(keyOf: (item: Item) => Key | undefined): Lookup<Item, Key> {
  const known = new WeakMap<readonly Item[], ReadonlyMap<Key, Item>>();
  return (items, key) => {
    const index = known.get(items) ?? indexOf(items, keyOf);
    known.set(items, index);
    return index.get(key);
  };
}

function indexOf<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key | undefined): ReadonlyMap<Key, Item> {
  const index = new Map<Key, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined && !index.has(key)) index.set(key, item);
  }
  return index;
}
