/** Whether a page would keep its thread for long. */
import { NOTHING, type Condition } from './conditions.js';
import { isOrdered, type PageQuery } from './page.js';

/** About how many rows the page looks at. To tell that costs small queries, which reading the page does not repeat. */
export function rowsLookedAt(query: PageQuery, matching: Condition, documents: number): number {
  if (matching === NOTHING) return 0;
  const total = query.where.length === 0 ? documents : (query.total ?? matching.total);
  // The size is counted up to a limit. All matches are among the rows that are walked.
  const size = Math.max(total ?? 0, Math.min(matching.size(), documents));
  if (isOrdered(query) || total === undefined) return size;
  const { offset, limit, after } = query;
  const passed = after === undefined ? Math.max(0, Math.min(offset, total - offset)) : 0;
  return Math.min(size, ((passed + limit) * size) / Math.max(1, total));
}
