/** Whether a page would keep its thread for long. */
import { type Criterion } from '../../../../core/read-models.js';
import { NOTHING, type Condition } from './conditions.js';
import { type Source } from './criteria-to-sql.js';
import { isOrdered, type PageQuery } from './page.js';
import { number } from './sql.js';

/** To look for one character in a text of 65,535 bytes takes as long as so many rows. */
const ROWS_PER_TEXT = 40;
/** So many characters that are looked for take twice as long, where both texts are of the same letter. */
const DOUBLING = 80;

/**
 * As how many rows the texts count that a query may look through, for each of its criteria. It is told before the
 * criteria become conditions: to make them looks through some texts.
 */
export const rowsForTexts = (source: Source, where: readonly Criterion[]): number =>
  where.reduce((sum, criterion) => sum + rowsFor(source, criterion), 0);

function rowsFor(source: Source, criterion: Criterion): number {
  switch (criterion.type) {
    case 'and':
    case 'or':
      return rowsForTexts(source, criterion.criteria);
    case 'not':
      return rowsFor(source, criterion.criterion);
    case 'contains':
      return ROWS_PER_TEXT * (1 + criterion.text.length / DOUBLING) * textsUnder(source, criterion.key);
    case 'any-of':
    case 'range':
    case 'empty':
      return 0;
  }
}

function textsUnder({ file, names, numberOf }: Source, key: string): number {
  const known = numberOf(key);
  if (known === undefined) return 0;
  return number(file, { text: `SELECT n FROM ${names.text_counts} WHERE key = ?`, values: [known] });
}

/** To tell the size of one, up to 100,000 entries are counted: the size of so many takes 40 ms. */
const MOST_SIZES = 8;

/** Whether to tell how many rows the page looks at may take long by itself. */
export const hasManySizes = (where: readonly Criterion[]): boolean => sizesIn(where) > MOST_SIZES;

const sizesIn = (where: readonly Criterion[]): number => where.reduce((sum, each) => sum + sizesOf(each), 0);

function sizesOf(criterion: Criterion): number {
  switch (criterion.type) {
    case 'and':
    case 'or':
      return sizesIn(criterion.criteria);
    case 'not':
      return sizesOf(criterion.criterion);
    case 'any-of':
    case 'range':
      return 1;
    case 'contains':
    case 'empty':
      return 0;
  }
}

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
