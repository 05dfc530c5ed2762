/**
 * How to find what a query asks: what the tallies say of it beforehand. An example: a tracker whose artifacts may be
 * limited to groups, asked for by somebody of group 3. The limit is a criterion under the key of the groups, `within` the
 * entry of the tracker. Each artifact says which such keys it has values under, and the tallies know all that is said of
 * that: those that everybody may see are found by what they say, as long as it does not name the key, the others by group 3.
 */
import { type Criterion } from '../core/read-models.js';
import { anyUnder, isWithout, sortable, underKey } from './mongodb-read-entries.js';
import { entriesWanted, filterOf, oneOf, type DocumentFilter } from './mongodb-read-filter.js';
import { type Tally } from './mongodb-read-tallies.js';

/** Those of all combinations with any of the entries; undefined where they are too many to be of help. */
export type TalliesWith = (entries: readonly string[]) => Promise<readonly Tally[] | undefined>;

/** A criterion whose documents the tallies name. */
interface Limit {
  readonly criterion: Criterion;
  /** Each document that this is about has this entry. */
  readonly within: string;
  /** What documents have that nobody is shut out of, each one of them, or that have a value that is asked for. */
  readonly open: readonly string[];
  /** How many documents there are within, and how many of them have none of these. */
  readonly all: number;
  readonly shutOut: number;
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
  const limits = (await Promise.all(where.map((criterion) => limitsIn(criterion, talliesWith)))).flat();
  return {
    filter: limitedFilter(where, limits),
    total: () => total(where, limits, talliesWith),
    isOfMoment: limits.length > 0,
  };
}

async function limitsIn(criterion: Criterion, talliesWith: TalliesWith): Promise<readonly Limit[]> {
  if (criterion.type !== 'none-or-any-of' || criterion.within === undefined) return [];
  const { key, within } = criterion;
  const [under, present] = [anyUnder(key), anyUnder(within.present)];
  const tallies = await talliesWith([under, present]);
  const said = tallies?.filter(({ entries }) => entries.has(present)) ?? [];
  if (tallies === undefined || said.length === 0) return [];
  const wanted = entriesWanted(criterion);
  const without = said.flatMap(({ entries }) => [...entries].filter((entry) => isWithout(key, entry, within.present)));
  return [
    {
      criterion,
      within: underKey(within.key, sortable(within.value)),
      open: [...without, ...wanted],
      all: sum(said),
      shutOut: sum(tallies.filter(({ entries }) => entries.has(under) && !wanted.some((entry) => entries.has(entry)))),
    },
  ];
}

/** As `filterOf`, but who may see what is found by entries. It never shows more than the query asks. */
function limitedFilter(where: readonly Criterion[], limits: readonly Limit[]): DocumentFilter | null {
  if (limits.length === 0) return filterOf(where);
  const criteria = new Set(limits.map(({ criterion }) => criterion));
  const within = new Set(limits.map((limit) => limit.within));
  const others = where.filter((criterion) => !criteria.has(criterion) && !isOnly(criterion, within));
  const filters = limits.map(({ open }): DocumentFilter => ({ e: oneOf(open) }));
  if (others.length === 0) return allOf(filters);
  const rest = filterOf(others);
  return rest === null ? null : allOf([...filters, rest]);
}

function allOf(filters: readonly DocumentFilter[]): DocumentFilter {
  const [only, ...others] = filters;
  return only !== undefined && others.length === 0 ? only : { $and: filters };
}

/** It asks for nothing that the limits do not: whatever they find has this entry. */
function isOnly(criterion: Criterion, within: ReadonlySet<string>): boolean {
  if (criterion.type !== 'any-of') return false;
  const [only, ...others] = entriesWanted(criterion);
  return only !== undefined && others.length === 0 && within.has(only);
}

/** Where nothing but one list of values is asked for, apart from limits that are known. */
function soleEntries(where: readonly Criterion[], limits: readonly Limit[]): readonly string[] | null {
  const limited = new Set(limits.map(({ criterion }) => criterion));
  const [only, ...others] = where.filter((criterion) => !limited.has(criterion));
  return only?.type === 'any-of' && others.length === 0 ? entriesWanted(only) : null;
}

async function total(
  where: readonly Criterion[],
  limits: readonly Limit[],
  talliesWith: TalliesWith,
): Promise<number | undefined> {
  const wanted = soleEntries(where, limits);
  if (wanted === null) return undefined;
  const [limit, ...others] = limits.filter(({ shutOut }) => shutOut > 0);
  if (limit === undefined) return totalOf(await talliesWith(wanted));
  const isWhole = wanted.length === 1 && wanted[0] === limit.within;
  return isWhole && others.length === 0 ? limit.all - limit.shutOut : undefined;
}

/** Nothing tells a key that is not counted from one that no document has. */
function totalOf(tallies: readonly Tally[] = []): number | undefined {
  return tallies.length === 0 ? undefined : sum(tallies);
}

function sum(tallies: readonly Tally[]): number {
  return tallies.reduce((count, { n }) => count + n, 0);
}
