/** What waits: of one caller in order, and of all callers in rotation. */
export interface Rotation<T> {
  readonly isEmpty: () => boolean;
  readonly add: (item: T, caller: string) => void;
  readonly remove: (item: T, caller: string) => void;
  /** Takes it away. */
  readonly next: (mayBeNext?: (caller: string) => boolean) => T | undefined;
}

export function rotation<T>(): Rotation<T> {
  const byCaller = new Map<string, Set<T>>();
  const remove = (item: T, caller: string): void => {
    const items = byCaller.get(caller);
    items?.delete(item);
    if (items?.size === 0) byCaller.delete(caller);
  };
  return {
    isEmpty: () => byCaller.size === 0,
    add: (item, caller) => {
      const items = byCaller.get(caller);
      if (items === undefined) byCaller.set(caller, new Set([item]));
      else items.add(item);
    },
    remove,
    next: (mayBeNext = () => true) => {
      const caller = firstOf(byCaller.keys(), mayBeNext);
      if (caller === undefined) return undefined;
      const items = byCaller.get(caller) ?? new Set();
      const [item] = items;
      byCaller.delete(caller);
      byCaller.set(caller, items);
      if (item !== undefined) remove(item, caller);
      return item;
    },
  };
}

function firstOf(callers: Iterable<string>, mayBeNext: (caller: string) => boolean): string | undefined {
  for (const caller of callers) if (mayBeNext(caller)) return caller;
  return undefined;
}
