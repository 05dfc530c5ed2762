/**
 * How to find what a query asks: what the tallies say of it beforehand. An example: a tracker whose artifacts may be
 * limited to groups, asked for by somebody of group 3. The limit is a criterion under the key of the groups, `within` the
 * entry of the tracker. If there are as many documents with an entry `under` that key as there are with that of the
 * tracker, each says who may see it, be it that nobody is shut out, and those that say "none" or 3 are found by that.
 */
import { type Criterion } from '../core/read-models.js';
import { anyUnder, noneUnder, sortable, underKey } from './mongodb-read-entries.js';
import { entriesWanted, filterOf, oneOf, type DocumentFilter } from './mongodb-read-filter.js';
import { type Tally } from './mongodb-read-tallies.js';

/** Those of all combinations with any of the entries; undefined where they are too many to be of help. */
export type TalliesWith = (entries: readonly string[]) => Promise<readonly Tally[] | undefined>;

interface Limit {
  readonly criterion: Extract<Criterion, { type: 'none-or-any-of' }>;
  readonly within: string;
  readonly under: string;
}

/** With the tallies of both of its entries. */
interface KnownLimit extends Limit {
  readonly tallies: readonly Tally[];
}

export interface Plan {
  /** Null where no document can match. */
  readonly filter: DocumentFilter | null;
  /** Undefined where the documents have to be counted. */
  readonly total: () => Promise<number | undefined>;
  /** The filter, too, is of the moment when the tallies were asked. */
  readonly isOfMoment: boolean;
}

export async function planOf(where: readonly Criterion[], talliesWith: TalliesWith): Promise<Plan> {
  const limits = where.flatMap(limitIn);
  const known = await Promise.all(
    limits.map(async (limit) => {
      const tallies = await talliesWith([limit.within, limit.under]);
      return tallies === undefined ? [] : [{ ...limit, tallies }];
    }),
  );
  const filter = limitedFilter(where, known.flat());
  return {
    filter,
    total: () => total(where, known.flat(), talliesWith),
    isOfMoment: limits.length > 0,
  };
}

function limitIn(criterion: Criterion): readonly Limit[] {
  if (criterion.type !== 'none-or-any-of' || criterion.within === undefined) return [];
  const { key, within } = criterion;
  return [{ criterion, within: underKey(within.key, sortable(within.value)), under: anyUnder(key) }];
}

/** As `filterOf`, but by entries that say "none" where all do. It never shows more than the query asks. */
function limitedFilter(where: readonly Criterion[], limits: readonly KnownLimit[]): DocumentFilter | null {
  const said = limits.filter(isSaidByAll);
  if (said.length === 0) return filterOf(where);
  const criteria = new Set<Criterion>(said.map(({ criterion }) => criterion));
  const within = new Set(said.map((limit) => limit.within));
  const others = where.filter((criterion) => !criteria.has(criterion) && !isOnly(criterion, within));
  const filters = said.map(({ criterion }): DocumentFilter => ({ e: oneOf(openEntries(criterion)) }));
  if (others.length === 0) return allOf(filters);
  const rest = filterOf(others);
  return rest === null ? null : allOf([...filters, rest]);
}

function allOf(filters: readonly DocumentFilter[]): DocumentFilter {
  const [only, ...others] = filters;
  return only !== undefined && others.length === 0 ? only : { $and: filters };
}

function isSaidByAll({ within, under, tallies }: KnownLimit): boolean {
  return sum(tallies, ({ entries }) => entries.has(within)) === sum(tallies, ({ entries }) => entries.has(under));
}

/** It asks for nothing that the limits do not: whatever has an entry under their keys has this one. */
function isOnly(criterion: Criterion, within: ReadonlySet<string>): boolean {
  if (criterion.type !== 'any-of') return false;
  const [only, ...others] = entriesWanted(criterion);
  return only !== undefined && others.length === 0 && within.has(only);
}

function openEntries(criterion: Limit['criterion']): readonly string[] {
  return [noneUnder(criterion.key), ...entriesWanted(criterion)];
}

/** Where nothing but one list of values is asked for, apart from limits that are known. */
function soleEntries(where: readonly Criterion[], limits: readonly KnownLimit[]): readonly string[] | null {
  const limited = new Set<Criterion>(limits.map(({ criterion }) => criterion));
  const [only, ...others] = where.filter((criterion) => !limited.has(criterion));
  return only?.type === 'any-of' && others.length === 0 ? entriesWanted(only) : null;
}

async function total(
  where: readonly Criterion[],
  limits: readonly KnownLimit[],
  talliesWith: TalliesWith,
): Promise<number | undefined> {
  const wanted = soleEntries(where, limits);
  if (wanted === null) return undefined;
  const [limit, ...others] = limits.filter((one) => shutOut(one) > 0);
  if (limit === undefined) return totalOf((await talliesWith(wanted)) ?? []);
  const isWhole = wanted.length === 1 && wanted[0] === limit.within;
  return isWhole && others.length === 0 ? totalWithin(limit) : undefined;
}

/** Nothing tells a key that is not counted from one that no document has. */
function totalOf(tallies: readonly Tally[]): number | undefined {
  return tallies.length === 0 ? undefined : sum(tallies, () => true);
}

function totalWithin(limit: KnownLimit): number | undefined {
  const all = totalOf(limit.tallies.filter(({ entries }) => entries.has(limit.within)));
  return all === undefined ? undefined : Math.max(0, all - shutOut(limit));
}

/** Of documents that say neither "none" nor what is asked for. */
function shutOut({ criterion, under, tallies }: KnownLimit): number {
  const isOpen = hasAny(openEntries(criterion));
  return sum(tallies, (tally) => tally.entries.has(under) && !isOpen(tally));
}

function hasAny(entries: readonly string[]): (tally: Tally) => boolean {
  return (tally) => entries.some((entry) => tally.entries.has(entry));
}

function sum(tallies: readonly Tally[], isMeant: (tally: Tally) => boolean): number {
  return tallies.reduce((count, tally) => (isMeant(tally) ? count + tally.n : count), 0);
}
