/** The request of a reader of a stream. */
export interface PageOfEvents {
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
}

/** From the first one on, up to another, which is no part of it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where a page is among so many items, the oldest first. */
export function spanOf({ order, limit, offset }: PageOfEvents, total: number): Span {
  if (order === 'asc') return { from: Math.min(offset, total), to: Math.min(offset + limit, total) };
  const to = Math.max(0, total - offset);
  return { from: Math.max(0, to - limit), to };
}

/** Those of a page, in its order. */
export function pageOf<T>(items: readonly T[], search: PageOfEvents): readonly T[] {
  const { from, to } = spanOf(search, items.length);
  const page = items.slice(from, to);
  return search.order === 'asc' ? page : page.reverse();
}
