import { type Document, type Page, type Query, type StartKey } from '../../core/read-models.js';
import { type PageQuery } from './pagination.js';

export interface FoundPage<T> extends Page<T> {
  /** See `setPage`. */
  readonly last: StartKey | null;
}

/** Of a list that is held whole, in the order of its keys, of which no two are the same. */
export function listPage<T>(
  all: readonly T[],
  { limit, offset, after }: PageQuery,
  keyOf: (item: T) => StartKey['id'],
): FoundPage<T> {
  const behind = after === undefined ? offset : all.findIndex((item) => isBefore(after.id, keyOf(item)));
  const from = behind === -1 ? all.length : behind;
  const items = all.slice(from, from + limit);
  const last = items.at(-1);
  const isEnd = last === undefined || from + limit >= all.length;
  return { items, total: all.length, last: isEnd ? null : { id: keyOf(last), values: [] } };
}

/** Of documents in the order of their ids. `find` is asked for one more, which shows whether there is a next page. */
export async function pageById<D extends Document>(
  find: (page: Pick<Query, 'direction' | 'after' | 'limit' | 'offset'>) => Promise<Page<D>>,
  { limit, offset, after }: PageQuery,
): Promise<FoundPage<D>> {
  const begun = after === undefined ? { offset } : { offset: 0, after };
  const found = await find({ direction: 'asc', limit: limit + 1, ...begun });
  const items = found.items.slice(0, limit);
  const last = items.at(-1);
  const isEnd = last === undefined || found.items.length <= limit;
  return { items, total: found.total, last: isEnd ? null : { id: last.id, values: [] } };
}

function isBefore(a: number | string, b: number | string): boolean {
  return typeof a === 'number' && typeof b === 'number' ? a < b : String(a) < String(b);
}
