/** What waits: of one caller in order, and of all callers in rotation. */
export interface Rotation<T> {
  readonly isEmpty: () => boolean;
  readonly add: (item: T, caller: string) => void;
  readonly remove: (item: T, caller: string) => void;
  /** Takes it away: one of a caller with the lowest rank, of which 0 is the lowest there is. Infinity: not now. */
  readonly next: (rankOf?: (caller: string) => number) => T | undefined;
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
    next: (rankOf = () => 0) => {
      const caller = lowest(byCaller.keys(), rankOf);
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

function lowest(callers: Iterable<string>, rankOf: (caller: string) => number): string | undefined {
  let [found, least]: [string | undefined, number] = [undefined, Infinity];
  for (const caller of callers) {
    const rank = rankOf(caller);
    if (rank < least) [found, least] = [caller, rank];
    if (least === 0) break;
  }
  return found;
}
