/** Whether a page would keep its thread for long. */
import { type Criterion } from '../../../../core/read-models.js';
import { NOTHING, type Condition } from './conditions.js';
import { isOrdered, type PageQuery } from './page.js';

/** To look through a text of 65,535 bytes takes as long as so many other rows. */
const ROWS_PER_TEXT = 40;

/** By the rows that it looks at, and the texts that it looks through for each. */
export function isLong(query: PageQuery, matching: Condition, documents: number, fewRows: number): boolean {
  const weight = 1 + ROWS_PER_TEXT * textsAskedFor(query.where);
  return documents * weight > fewRows && rowsLookedAt(query, matching, documents) * weight > fewRows;
}

/** How many texts the criteria look through. */
export function textsAskedFor(where: readonly Criterion[]): number {
  return where.reduce((sum, criterion) => sum + textsIn(criterion), 0);
}

function textsIn(criterion: Criterion): number {
  switch (criterion.type) {
    case 'and':
    case 'or':
      return textsAskedFor(criterion.criteria);
    case 'not':
      return textsIn(criterion.criterion);
    case 'contains':
      return 1;
    case 'any-of':
    case 'range':
    case 'empty':
      return 0;
  }
}

/** About how many rows the page looks at. To tell that costs small queries, which reading the page does not repeat. */
function rowsLookedAt(query: PageQuery, matching: Condition, documents: number): number {
  if (matching === NOTHING) return 0;
  const total = query.where.length === 0 ? documents : (query.total ?? matching.total);
  // The size is counted up to a limit. All matches are among the rows that are walked.
  const size = Math.max(total ?? 0, Math.min(matching.size(), documents));
  if (isOrdered(query) || total === undefined) return size;
  const { offset, limit, after } = query;
  const passed = after === undefined ? Math.max(0, Math.min(offset, total - offset)) : 0;
  return Math.min(size, ((passed + limit) * size) / Math.max(1, total));
}
