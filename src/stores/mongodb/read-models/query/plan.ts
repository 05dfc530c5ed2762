/**
 * How to find what a query asks: what the tallies say of it beforehand. An example: a tracker whose artifacts may be
 * limited to groups, asked for by somebody of group 3. The limit is a criterion under the key of the groups, `within` the
 * entry of the tracker. Each artifact says which such keys it has values under, and the tallies know all that is said of that
 * in the tracker: artifacts that everybody may see are found by what they say without that key, others by group 3.
 */
import { type Criterion } from '../../../../core/read-models.js';
import { anyUnder, presentIn, sortable, underKey } from '../entries.js';
import { entriesWanted, filterOf, oneOf, type DocumentFilter } from './filter.js';
import { type Tallies } from '../tallies.js';

/** As far as the query itself says it. */
interface Limit {
  readonly criterion: Criterion;
  readonly key: string;
  readonly presentKey: string;
  /** Each document that this is about has this entry. */
  readonly within: string;
  readonly wanted: readonly string[];
}

/** With what the tallies say of it. */
interface KnownLimit extends Limit {
  /** Entries of documents without any value under the key, and of no others. */
  readonly without: readonly string[];
}

export interface Plan {
  /** Null where no document can match. */
  readonly filter: DocumentFilter | null;
  /** Undefined where the documents have to be counted. */
  readonly total: () => Promise<number | undefined>;
  /** What is said for the first time after the tallies were asked, the filter does not find. */
  readonly isOfMoment: boolean;
}

export async function planOf(where: readonly Criterion[], tallies: Tallies): Promise<Plan> {
  const limits = where.flatMap(limitIn);
  const known = await knownLimits(limits, tallies);
  return {
    filter: limitedFilter(where, known),
    total: () => total(where, limits, tallies),
    isOfMoment: known.length > 0,
  };
}

function limitIn(criterion: Criterion): readonly Limit[] {
  if (criterion.type !== 'none-or-any-of' || criterion.within === undefined) return [];
  const { key, within } = criterion;
  const { presentKey } = within;
  return [
    {
      criterion,
      key,
      presentKey,
      within: underKey(within.key, sortable(within.value)),
      wanted: entriesWanted(criterion),
    },
  ];
}

/** Asks once for all limits of a tracker. */
async function knownLimits(limits: readonly Limit[], tallies: Tallies): Promise<readonly KnownLimit[]> {
  const known = await Promise.all(
    [...new Set(limits.map(({ presentKey }) => presentKey))].map(async (presentKey) => {
      const said = (await tallies.everSaidUnder(presentKey)) ?? [];
      if (said.length === 0) return [];
      return limits
        .filter((limit) => limit.presentKey === presentKey)
        .map((limit) => ({ ...limit, without: said.filter((entry) => !presentIn(entry).includes(limit.key)) }));
    }),
  );
  return known.flat();
}

/** As `filterOf`, but who may see what is found by entries. It never shows more than the query asks. */
function limitedFilter(where: readonly Criterion[], limits: readonly KnownLimit[]): DocumentFilter | null {
  if (limits.length === 0) return filterOf(where);
  const criteria = new Set(limits.map(({ criterion }) => criterion));
  const within = new Set(limits.map((limit) => limit.within));
  const others = where.filter((criterion) => !criteria.has(criterion) && !isOnly(criterion, within));
  const filters = limits.map(({ without, wanted }): DocumentFilter => ({ e: oneOf([...without, ...wanted]) }));
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

/** Known where nothing but one list of values is asked for, apart from limits. */
async function total(
  where: readonly Criterion[],
  limits: readonly Limit[],
  tallies: Tallies,
): Promise<number | undefined> {
  const limiting = new Set(limits.map(({ criterion }) => criterion));
  const [only, ...others] = where.filter((criterion) => !limiting.has(criterion));
  if (only?.type !== 'any-of' || others.length > 0) return undefined;
  const counts = (await tallies.countsOf(entriesWanted(only))) ?? [];
  // Nothing tells a key that is not counted from one that no document has.
  if (counts.length === 0) return undefined;
  const visible = counts.filter(({ said }) => limits.every((limit) => letsThrough(limit, said)));
  return visible.reduce((sum, { n }) => sum + n, 0);
}

function letsThrough({ key, wanted }: Limit, said: readonly string[]): boolean {
  if (said.some((entry) => wanted.includes(entry))) return true;
  const under = anyUnder(key);
  return !said.some((entry) => entry.startsWith(under));
}
