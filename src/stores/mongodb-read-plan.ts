/**
 * How to find what a query asks: what the tallies say of it beforehand. An example: a tracker whose artifacts may be
 * limited to groups, asked for by somebody of group 3. The limit is a criterion under the key of the groups, `within` the
 * entry of the tracker. Each artifact says which such keys it has values under, and the tallies know all that is said of that
 * in the tracker: artifacts that everybody may see are found by what they say without that key, others by group 3.
 */
import { type Criterion } from '../core/read-models.js';
import { anyUnder, isWithout, sortable, underKey } from './mongodb-read-entries.js';
import { entriesWanted, filterOf, oneOf, type DocumentFilter } from './mongodb-read-filter.js';
import { type Tally } from './mongodb-read-tallies.js';

/** Those of all combinations with any of the entries under the counted key; undefined where they are too many to be of help. */
export type TalliesWith = (entries: readonly string[]) => Promise<readonly Tally[] | undefined>;

/** As far as the query itself says it. */
interface Limit {
  readonly criterion: Criterion;
  /** Each document that this is about has this entry. */
  readonly within: string;
  readonly key: string;
  readonly present: string;
  readonly wanted: readonly string[];
}

/** With what the tallies say of it. */
interface KnownLimit extends Limit {
  /** Each document without values under the key has one of these, and no others have. */
  readonly without: readonly string[];
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
  const askOnce = once(talliesWith);
  const known = (await Promise.all(limits.map((limit) => knownLimit(limit, askOnce)))).flat();
  return {
    filter: limitedFilter(where, known),
    total: () => total(where, limits, askOnce),
    isOfMoment: known.length > 0,
  };
}

function limitIn(criterion: Criterion): readonly Limit[] {
  if (criterion.type !== 'none-or-any-of' || criterion.within === undefined) return [];
  const { key, within } = criterion;
  return [
    {
      criterion,
      within: underKey(within.key, sortable(within.value)),
      key,
      present: within.present,
      wanted: entriesWanted(criterion),
    },
  ];
}

/** Several limits of a tracker ask for the same. */
function once(talliesWith: TalliesWith): TalliesWith {
  const asked = new Map<string, ReturnType<TalliesWith>>();
  return (entries) => {
    const name = JSON.stringify(entries);
    const answer = asked.get(name) ?? talliesWith(entries);
    asked.set(name, answer);
    return answer;
  };
}

async function knownLimit(limit: Limit, talliesWith: TalliesWith): Promise<readonly KnownLimit[]> {
  const { key, present } = limit;
  const tallies = (await talliesWith([anyUnder(present)])) ?? [];
  if (tallies.length === 0) return [];
  const said = new Set(tallies.flatMap(({ limits }) => limits));
  return [{ ...limit, without: [...said].filter((entry) => isWithout(key, entry, present)) }];
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
  talliesWith: TalliesWith,
): Promise<number | undefined> {
  const limiting = new Set(limits.map(({ criterion }) => criterion));
  const [only, ...others] = where.filter((criterion) => !limiting.has(criterion));
  if (only?.type !== 'any-of' || others.length > 0) return undefined;
  const tallies = (await talliesWith(entriesWanted(only))) ?? [];
  // Nothing tells a key that is not counted from one that no document has.
  if (tallies.length === 0) return undefined;
  const open = tallies.filter((tally) => limits.every((limit) => isOpen(limit, tally.limits)));
  return open.reduce((count, { n }) => count + n, 0);
}

function isOpen({ key, wanted }: Limit, entries: readonly string[]): boolean {
  if (entries.some((entry) => wanted.includes(entry))) return true;
  const under = anyUnder(key);
  return !entries.some((entry) => entry.startsWith(under));
}
