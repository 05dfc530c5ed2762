/** Whether a page would keep its thread for long. */
import { isOrdered, type PageQuery, type State } from './page.js';
import { NOTHING } from './conditions.js';
import { condition, type Source } from './criteria-to-sql.js';

/** About how many rows the page looks at. To tell that costs some small queries. */
export function rowsLookedAt(source: Source, query: PageQuery, state: () => State): number {
  const matching = condition(source, query.where);
  if (matching === NOTHING) return 0;
  const { documents } = state();
  const size = Math.min(matching.size(), documents);
  const total = query.where.length === 0 ? documents : (query.total ?? matching.total);
  if (isOrdered(query) || total === undefined) return size;
  const { offset, limit, after } = query;
  const passed = after === undefined ? Math.max(0, Math.min(offset, total - offset)) : 0;
  return Math.min(size, ((passed + limit) * size) / Math.max(1, total));
}
