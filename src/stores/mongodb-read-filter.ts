/** Queries as filters that every server understands, and that walk an index wherever one can help. */
import { type Criterion } from '../core/read-models.js';
import { ANY, numbered, sortable, trigrams, underKey } from './mongodb-read-entries.js';
import { digitsBetween, numbersWithin } from './mongodb-read-numbers.js';
import { searchable, storable } from './stored-text.js';

/** What is said of one member of a document; of a list, one of its items has to agree. */
type Condition =
  | string
  | { readonly $in: readonly string[] }
  | { readonly $ne: string }
  | { readonly $all: readonly string[] }
  | { readonly $regex: string }
  | { readonly $elemMatch: Readonly<Record<'$gte' | '$lte' | '$regex', string>> };

export interface DocumentFilter {
  readonly e?: Condition;
  readonly k?: Condition;
  readonly t?: Condition;
  readonly g?: Condition;
  readonly $and?: readonly DocumentFilter[];
  readonly $or?: readonly DocumentFilter[];
}

const EVERY_DOCUMENT: DocumentFilter = { e: ANY };

/** More of them narrow a search no further, and each is a plan for the server to consider. */
const MOST_TRIGRAMS = 8;

/** Null where no document can match. */
export function filterOf(where: readonly Criterion[]): DocumentFilter | null {
  const filters: DocumentFilter[] = [];
  for (const criterion of where) {
    const translated = translate(criterion);
    if (translated === null) return null;
    filters.push(...translated);
  }
  if (!filters.some(walksAnIndex)) filters.unshift(EVERY_DOCUMENT);
  const [only, ...others] = filters;
  return only !== undefined && others.length === 0 ? only : { $and: filters };
}

/** Deleted documents have no entries at all: without such a filter they might match. */
function walksAnIndex({ e, $or = [] }: DocumentFilter): boolean {
  return e !== undefined || $or.some(({ g }) => g !== undefined);
}

function translate(criterion: Criterion): readonly DocumentFilter[] | null {
  switch (criterion.type) {
    case 'any-of': {
      const values = valuesOf(criterion);
      return values === null ? null : [{ e: values }];
    }
    case 'none-or-any-of': {
      const none: DocumentFilter = { k: { $ne: storable(criterion.key) } };
      const values = valuesOf(criterion);
      return [values === null ? none : { $or: [none, { e: values }] }];
    }
    case 'range':
      return range(criterion);
    case 'contains':
      return contains(criterion);
  }
}

function valuesOf({ key, values }: Extract<Criterion, { type: 'any-of' | 'none-or-any-of' }>): Condition | null {
  const texts = new Set(values.filter((value) => !Number.isNaN(value)).map((value) => underKey(key, sortable(value))));
  const [only, ...others] = texts;
  if (only === undefined) return null;
  return others.length === 0 ? only : { $in: [only, ...others] };
}

function range(criterion: Extract<Criterion, { type: 'range' }>): readonly DocumentFilter[] | null {
  const bounds = numbersWithin(criterion);
  if (bounds === null) return null;
  const [from, to] = bounds.map((digits) => underKey(criterion.key, numbered(digits)));
  // Not every server asks all of this of one and the same item: the expression alone says it, too.
  const within = `^${literally(underKey(criterion.key, numbered('')))}${digitsBetween(...bounds)}`;
  return [{ e: { $elemMatch: { $gte: from ?? '', $lte: to ?? '', $regex: within } } }];
}

function contains({ key, text }: Extract<Criterion, { type: 'contains' }>): readonly DocumentFilter[] {
  const wanted = searchable(text);
  const holds: DocumentFilter = { t: { $regex: `^${literally(underKey(key, ''))}[\\s\\S]*${literally(wanted)}` } };
  const found = someOf(trigrams(Array.from(wanted))).map((trigram) => underKey(key, trigram));
  return found.length === 0 ? [holds] : [{ $or: [{ g: { $all: found } }, { g: underKey(key, '') }] }, holds];
}

/** From all over the text: the beginnings of texts are often alike. */
function someOf(all: readonly string[]): readonly string[] {
  const distinct = [...new Set(all)];
  const step = Math.max(1, distinct.length / MOST_TRIGRAMS);
  return Array.from(
    { length: Math.min(MOST_TRIGRAMS, distinct.length) },
    (_, n) => distinct[Math.floor(n * step)] ?? '',
  );
}

/** As part of a regular expression, in the dialects of the servers. */
function literally(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}
