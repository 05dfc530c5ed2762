/** Queries as filters that every server understands, and that walk an index wherever one can help. */
import { type Criterion } from '../../../../core/read-models.js';
import { ANY, numbered, sortable, textUnder, underKey } from '../entries.js';
import { digitsBetween, numbersWithin } from '../sortable-numbers.js';
import { searchable } from '../../../shared/well-formed-text.js';

type AnyOf = Extract<Criterion, { type: 'any-of' }>;

/** What is said of one member of a document; of a list, one of its items has to agree. */
type Condition =
  | string
  | { readonly $in: readonly string[] }
  | { readonly $regex: string }
  | { readonly $elemMatch: Readonly<Record<'$gte' | '$lte' | '$regex', string>> };

export interface DocumentFilter {
  readonly e?: Condition;
  readonly t?: Condition;
  readonly $and?: readonly DocumentFilter[];
}

const EVERY_DOCUMENT: DocumentFilter = { e: ANY };

/** Null where no document can match. */
export function filterOf(where: readonly Criterion[]): DocumentFilter | null {
  const filters: DocumentFilter[] = [];
  for (const criterion of where) {
    const translated = translate(criterion);
    if (translated === null) return null;
    filters.push(translated);
  }
  // Deleted documents have no entries at all: without one they might match.
  if (!filters.some(({ e }) => e !== undefined)) filters.unshift(EVERY_DOCUMENT);
  const [only, ...others] = filters;
  return only !== undefined && others.length === 0 ? only : { $and: filters };
}

function translate(criterion: Criterion): DocumentFilter | null {
  switch (criterion.type) {
    case 'any-of': {
      const values = entriesWanted(criterion);
      return values.length === 0 ? null : { e: oneOf(values) };
    }
    case 'range':
      return range(criterion);
    case 'contains':
      return contains(criterion);
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

function range(criterion: Extract<Criterion, { type: 'range' }>): DocumentFilter | null {
  const bounds = numbersWithin(criterion);
  if (bounds === null) return null;
  const [from, to] = bounds.map((digits) => underKey(criterion.key, numbered(digits)));
  // Not every server asks all of this of one and the same item: the expression alone says it, too.
  const within = `^${literally(underKey(criterion.key, numbered('')))}${digitsBetween(...bounds)}`;
  return { e: { $elemMatch: { $gte: from ?? '', $lte: to ?? '', $regex: within } } };
}

/** Walks all texts under the key in the order of the page, or what else is asked. */
function contains({ key, text }: Extract<Criterion, { type: 'contains' }>): DocumentFilter {
  const holds = `^${literally(underKey(key, ''))}[\\s\\S]*${literally(searchable(text))}`;
  return { e: textUnder(key), t: { $regex: holds } };
}

/** As part of a regular expression, in the dialects of the servers. With a bar, even escaped, MongoDB knows no beginning. */
function literally(text: string): string {
  return text.replace(/[\\^$.?*+()[\]{}]/g, '\\$&').replaceAll('|', '\\x7c');
}
