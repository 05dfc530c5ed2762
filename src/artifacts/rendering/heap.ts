/** Items of which the least is at hand. An item that is compared otherwise than before has to be placed again. */
export interface Heap<Item> {
  least(): Item | undefined;
  /** Adds the item, or moves it. */
  place(item: Item): void;
  remove(item: Item): void;
}

/** Each operation makes as many comparisons as the logarithm of the number of items, about. */
export function heap<Item>(compare: (a: Item, b: Item) => number): Heap<Item> {
  const items: Item[] = [];
  const places = new Map<Item, number>();

  const isBefore = (a: number, b: number): boolean => {
    const [itemA, itemB] = [items[a], items[b]];
    return itemA !== undefined && itemB !== undefined && compare(itemA, itemB) < 0;
  };
  const put = (item: Item | undefined, at: number): void => {
    if (item === undefined) return;
    items[at] = item;
    places.set(item, at);
  };
  const swap = (a: number, b: number): void => {
    const item = items[a];
    put(items[b], a);
    put(item, b);
  };
  const settle = (from: number): void => {
    let at = from;
    for (let above = aboveOf(at); isBefore(at, above); above = aboveOf(at)) {
      swap(at, above);
      at = above;
    }
    for (let below = lesserBelow(at); isBefore(below, at); below = lesserBelow(at)) {
      swap(at, below);
      at = below;
    }
  };
  const lesserBelow = (at: number): number => (isBefore(2 * at + 2, 2 * at + 1) ? 2 * at + 2 : 2 * at + 1);

  return {
    least: () => items[0],
    place: (item) => {
      if (!places.has(item)) put(item, items.length);
      settle(places.get(item) ?? 0);
    },
    remove: (item) => {
      const at = places.get(item);
      if (at === undefined) return;
      places.delete(item);
      const last = items.pop();
      if (last === item) return;
      put(last, at);
      settle(at);
    },
  };
}

/** The first one has none. */
const aboveOf = (at: number): number => (at - 1) >> 1;
