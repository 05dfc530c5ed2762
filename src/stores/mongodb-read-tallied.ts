/** What the tallies say about a query: how many documents match, and where those are that nobody is shut out of. */
import { type Criterion } from '../core/read-models.js';
import { anyUnder, noneUnder, sortable, underKey } from './mongodb-read-entries.js';
import { entriesWanted, filterOf, oneOf, type DocumentFilter } from './mongodb-read-filter.js';
import { type Tally } from './mongodb-read-tallies.js';

/** Undefined: there are too many of them to be of help. */
export type Tallied = readonly Tally[] | undefined;

interface Limited {
  readonly criterion: Extract<Criterion, { type: 'none-or-any-of' }>;
  /** Whatever can match has this entry. */
  readonly within: string;
  /** Whatever of it has anything under the criterion's key has this one, too. */
  readonly under: string;
}

/** Which entries' tallies say something about the query; none where no tally does. */
export function talliedEntries(where: readonly Criterion[]): readonly string[] {
  const limited = where.flatMap(limitedIn).flatMap(({ within, under }) => [within, under]);
  return [...new Set([...limited, ...(soleEntries(where) ?? [])])];
}

/** Whether the filter is another one when the tallies are known. */
export function needsTallies(where: readonly Criterion[]): boolean {
  return where.some((criterion) => limitedIn(criterion).length > 0);
}

function limitedIn(criterion: Criterion): readonly Limited[] {
  if (criterion.type !== 'none-or-any-of' || criterion.within === undefined) return [];
  const { key, within } = criterion;
  return [{ criterion, within: underKey(within.key, sortable(within.value)), under: anyUnder(key) }];
}

/** Where nothing but one list of values is asked for, apart from who may see it. */
function soleEntries(where: readonly Criterion[]): readonly string[] | null {
  const [only, ...others] = where.filter((criterion) => limitedIn(criterion).length === 0);
  return only?.type === 'any-of' && others.length === 0 ? entriesWanted(only) : null;
}

/**
 * As `filterOf`. Where each document says whether there is anything under the key of a limit, that is walked instead of
 * looking into all documents. It never shows more than the query asks, even if the tallies are some moments old.
 */
export function talliedFilter(where: readonly Criterion[], tallied: Tallied): DocumentFilter | null {
  const said = tallied === undefined ? [] : where.flatMap(limitedIn).filter((limited) => isSaidOfAll(limited, tallied));
  if (said.length === 0) return filterOf(where);
  const criteria = new Set<Criterion>(said.map(({ criterion }) => criterion));
  const within = new Set(said.map((limited) => limited.within));
  const others = where.filter((criterion) => !criteria.has(criterion) && !isOnly(criterion, within));
  const filters = said.map(({ criterion }): DocumentFilter => ({
    e: oneOf([noneUnder(criterion.key), ...entriesWanted(criterion)]),
  }));
  if (others.length === 0) return allOf(filters);
  const rest = filterOf(others);
  return rest === null ? null : allOf([...filters, rest]);
}

function allOf(filters: readonly DocumentFilter[]): DocumentFilter {
  const [only, ...others] = filters;
  return only !== undefined && others.length === 0 ? only : { $and: filters };
}

function isSaidOfAll({ within, under }: Limited, tallied: readonly Tally[]): boolean {
  return sum(tallied, ({ entries }) => entries.has(within)) === sum(tallied, ({ entries }) => entries.has(under));
}

function isOnly(criterion: Criterion, within: ReadonlySet<string>): boolean {
  if (criterion.type !== 'any-of') return false;
  const [only, ...others] = entriesWanted(criterion);
  return only !== undefined && others.length === 0 && within.has(only);
}

/** Undefined where the documents have to be counted. */
export function talliedTotal(where: readonly Criterion[], tallied: Tallied): number | undefined {
  const wanted = soleEntries(where);
  if (tallied === undefined || wanted === null) return undefined;
  const all = sum(tallied, ({ entries }) => wanted.some((entry) => entries.has(entry)));
  // Nothing tells a key that is not counted from one that no document has.
  if (all === 0) return undefined;
  const [limited, ...others] = where.flatMap(limitedIn).filter((one) => shutOut(one, tallied) > 0);
  if (limited === undefined) return all;
  const isWhole = wanted.length === 1 && wanted[0] === limited.within;
  return isWhole && others.length === 0 ? Math.max(0, all - shutOut(limited, tallied)) : undefined;
}

/** Of documents with other values under the key than those asked for. */
function shutOut({ criterion, under }: Limited, tallied: readonly Tally[]): number {
  const open = [noneUnder(criterion.key), ...entriesWanted(criterion)];
  return sum(tallied, ({ entries }) => entries.has(under) && !open.some((entry) => entries.has(entry)));
}

function sum(tallied: readonly Tally[], isMeant: (tally: Tally) => boolean): number {
  return tallied.reduce((total, tally) => (isMeant(tally) ? total + tally.n : total), 0);
}
