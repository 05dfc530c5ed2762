/** What waits. Of one caller in order, but what is under way first; of all callers in rotation. */
export interface Rotation<T> {
  readonly isEmpty: () => boolean;
  readonly add: (item: T, caller: string, isUnderWay?: boolean) => void;
  readonly remove: (item: T, caller: string) => void;
  /** Takes it away. Of callers that are not allowed, nothing is taken, and they stay where they are. */
  readonly next: (isAllowed?: (caller: string) => boolean) => T | undefined;
}

interface Items<T> {
  readonly underWay: Set<T>;
  readonly others: Set<T>;
}

export function rotation<T>(): Rotation<T> {
  const byCaller = new Map<string, Items<T>>();
  const isOver = ({ underWay, others }: Items<T>): boolean => underWay.size + others.size === 0;
  return {
    isEmpty: () => byCaller.size === 0,
    add: (item, caller, isUnderWay = false) => {
      const items = byCaller.get(caller) ?? { underWay: new Set(), others: new Set() };
      items[isUnderWay ? 'underWay' : 'others'].add(item);
      byCaller.set(caller, items);
    },
    remove: (item, caller) => {
      const items = byCaller.get(caller);
      if (items === undefined) return;
      for (const some of [items.underWay, items.others]) some.delete(item);
      if (isOver(items)) byCaller.delete(caller);
    },
    next: (isAllowed = () => true) => {
      for (const [caller, items] of byCaller) {
        if (!isAllowed(caller)) continue;
        const from = items.underWay.size > 0 ? items.underWay : items.others;
        const [item] = from;
        if (item !== undefined) from.delete(item);
        byCaller.delete(caller);
        if (!isOver(items)) byCaller.set(caller, items);
        return item;
      }
      return undefined;
    },
  };
}
