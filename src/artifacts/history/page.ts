/** The request of a reader of a stream. */
export interface PageOfEvents {
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

/** Of items that come one by one, the oldest first, those of a page, and how many came. From the end, about twice as many are held as the page and its offset make together. */
export function pageOf<T>({ order, limit, offset }: PageOfEvents) {
  let kept: T[] = [];
  let total = 0;
  const wanted = order === 'asc' ? limit : offset + limit;
  return {
    add: (item: T): void => {
      total += 1;
      if (order === 'desc' || (total > offset && kept.length < wanted)) kept.push(item);
      if (kept.length > 2 * wanted) kept = kept.slice(kept.length - wanted);
    },
    total: (): number => total,
    items: (): readonly T[] => (order === 'asc' ? kept : kept.toReversed().slice(offset, offset + limit)),
  };
}
