/** Queries as filters that every server understands, and that walk an index wherever one can help. */
import { type Criterion, type Range } from '../../../core/read-models.js';
import { searchable } from '../../shared/well-formed-text.js';
import { type DocumentFilter } from './documents.js';
import { ANY, sortable, textUnder, underKey } from './entries.js';
import { digitsBetween, NO_END } from './number-ranges.js';

type AnyOf = Extract<Criterion, { type: 'any-of' }>;

/** What is said of one member of a document; of a list, one of its items has to agree. */
type Condition =
  | string
  | { readonly $in: readonly string[] }
  | { readonly $regex: string }
  | { readonly $elemMatch: Readonly<Record<'$gte' | '$lt' | '$regex', string>> };

interface Clause {
  readonly e?: Condition;
  readonly t?: Condition;
  readonly $and?: readonly Clause[];
  readonly $or?: readonly Clause[];
  readonly $nor?: readonly Clause[];
}

const EVERY_DOCUMENT: Clause = { e: ANY };

/** All of them have to hold: of none, every document matches. Null where no document can match. */
type Filters = readonly Clause[] | null;

/** Null where no document can match. */
export function filterOf(where: readonly Criterion[]): DocumentFilter | null {
  const filters = all(where);
  if (filters === null) return null;
  // Deleted documents have no entries at all: without one they might match.
  const filter = joined(filters.some(hasEntries) ? filters : [EVERY_DOCUMENT, ...filters]);
  // The driver's type knows nothing of lists that stay as they are.
  return filter as DocumentFilter;
}

function hasEntries({ e, $and = [], $or = [] }: Clause): boolean {
  return e !== undefined || $and.some(hasEntries) || ($or.length > 0 && $or.every(hasEntries));
}

function joined(filters: readonly Clause[]): Clause {
  const [only, ...others] = filters;
  return only !== undefined && others.length === 0 ? only : { $and: filters };
}

function all(criteria: readonly Criterion[]): Filters {
  const filters: Clause[] = [];
  for (const criterion of criteria) {
    const translated = translate(criterion);
    if (translated === null) return null;
    filters.push(...translated);
  }
  return filters;
}

function any(criteria: readonly Criterion[]): Filters {
  const possible = criteria.map(translate).filter((filters) => filters !== null);
  const [only, ...others] = possible;
  if (only === undefined) return null;
  if (others.length === 0) return only;
  return possible.some((filters) => filters.length === 0) ? [] : [{ $or: possible.map(joined) }];
}

function none(criterion: Criterion): Filters {
  const filters = translate(criterion);
  if (filters === null) return [];
  if (filters.length === 0) return null;
  const excluded = joined(filters);
  return excluded.$nor ?? [{ $nor: [excluded] }];
}

function translate(criterion: Criterion): Filters {
  switch (criterion.type) {
    case 'and':
      return all(criterion.criteria);
    case 'or':
      return any(criterion.criteria);
    case 'not':
      return none(criterion.criterion);
    case 'any-of':
    case 'range':
    case 'contains':
    case 'empty':
      return underItsKey(criterion);
  }
}

function underItsKey(criterion: Extract<Criterion, { key: string }>): Filters {
  switch (criterion.type) {
    case 'any-of': {
      const values = entriesWanted(criterion);
      return values.length === 0 ? null : [{ e: oneOf(values) }];
    }
    case 'range':
      return range(criterion);
    case 'contains':
      return contains(criterion);
    case 'empty':
      return [{ $nor: [{ e: { $regex: `^${literally(underKey(criterion.key, ''))}` } }] }];
  }
}

function entriesWanted({ key, values }: AnyOf): readonly string[] {
  const wanted = values.filter((value) => !Number.isNaN(value));
  return [...new Set(wanted.map((value) => underKey(key, sortable(value))))];
}

function oneOf(entries: readonly string[]): Condition {
  const [only, ...others] = entries;
  return only !== undefined && others.length === 0 ? only : { $in: entries };
}

/**
 * A number is stored as a text that sorts as the number does. `$gte` and `$lt` let the server walk a part of the index. Some
 * servers take items of the list that satisfy one of the two each, so `$regex` checks one item against both bounds.
 */
function range({ key, above, from, to, below }: Range): Filters {
  if ([above, from, to, below].some(Number.isNaN)) return null;
  const low = ['', ...digits(from), ...after(above)].toSorted().at(-1) ?? '';
  const [high = NO_END] = [NO_END, ...digits(below), ...after(to)].toSorted();
  const between = digitsBetween(low, high);
  if (between === null) return null;
  const ofNumbers = underKey(key, 'n');
  const $regex = `^${literally(ofNumbers)}${between}`;
  return [{ e: { $elemMatch: { $gte: `${ofNumbers}${low}`, $lt: `${ofNumbers}${high}`, $regex } } }];
}

/** Without the character of its type. */
const digits = (bound: number | undefined): readonly string[] =>
  bound === undefined ? [] : [sortable(bound).slice(1)];

/** The next digits: those of no number end with a zero. */
const after = (bound: number | undefined): readonly string[] => digits(bound).map((text) => `${text}0`);

/** Walks all texts under the key in the order of the page, or what else is asked. */
function contains({ key, text }: Extract<Criterion, { type: 'contains' }>): Filters {
  const wanted = searchable(text);
  if (wanted === null) return null;
  const holds = `^${literally(underKey(key, ''))}[\\s\\S]*${literally(wanted)}`;
  return [{ e: textUnder(key), t: { $regex: holds } }];
}

/** With a bar, even escaped, MongoDB does not use a prefix. */
function literally(text: string): string {
  return text.replace(/[\\^$.?*+()[\]{}]/g, '\\$&').replaceAll('|', '\\x7c');
}
