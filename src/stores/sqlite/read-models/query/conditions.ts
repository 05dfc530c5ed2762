/** Conditions on a document, and what becomes of several. */
import { joined, type Sql } from './sql.js';

/** A table and what of it to walk, in alias `d`. */
interface Walk extends Sql {
  readonly table: string;
  /** Whether ids come once each, and in order. */
  readonly isOnce: boolean;
}

interface Walking {
  /** More walks than this are not wanted, if fewer do. */
  readonly most: number;
  /** How many documents of a walk are probed. */
  readonly met: (size: number) => number;
}

/** How a condition can be answered: by walking what it matches, or by asking it of one document `d` at a time. */
export interface Condition {
  /** About how many rows a walk reads, 0 only when it finds nothing; infinite where it cannot be walked. Costs a query. */
  readonly size: () => number;
  /** How many documents match, if that is known. */
  readonly total?: number | undefined;
  /** Together they meet what it matches. None: it cannot be walked. */
  readonly walks: (walking: Walking) => readonly Walk[];
  /** True of `d.id`; `driving` is how many documents will be asked about. */
  readonly probe: (driving: number) => Sql;
}

/** No document can match. */
export const NOTHING: Condition = {
  size: () => 0,
  total: 0,
  walks: () => [],
  probe: () => ({ text: '0', values: [] }),
};

/** Where the probes hold more values, the walks that repeat them are fewer. SQLite takes 32,766 in all. */
const MOST_VALUES = 10_000;
/** In characters, of the probes that each of the walks repeats: to prepare a statement takes time and memory by its length. */
const TEXT_OF_EACH = 1000;

/** Walks what the most selective condition matches, and asks the others of each of its documents. */
export function all(conditions: readonly Condition[]): Condition {
  const [only, ...more] = conditions;
  if (only !== undefined && more.length === 0) return only;
  if (conditions.includes(NOTHING)) return NOTHING;
  let known: readonly Condition[] | undefined;
  const sorted = (): readonly Condition[] => (known ??= conditions.toSorted((a, b) => compare(a.size(), b.size())));
  return {
    size: () => sorted()[0]?.size() ?? Infinity,
    walks: ({ most, met }) => {
      const [driver, ...others] = sorted();
      if (driver === undefined) return [];
      const probes = joined(
        others.map(({ probe }) => probe(met(driver.size()))),
        'AND',
      );
      return driver
        .walks({ most: Math.min(most, repeatable(probes, most)), met })
        .map((walk) => ({ ...walk, ...joined([walk, probes], 'AND') }));
    },
    probe: (driving) =>
      conditions.length === 0
        ? EVERYTHING
        : joined(
            sorted().map(({ probe }) => probe(driving)),
            'AND',
          ),
  };
}

/** How many of this many walks may repeat the probes. */
function repeatable({ text, values }: Sql, most: number): number {
  return Math.floor(Math.min(MOST_VALUES / (values.length + 1), (most * TEXT_OF_EACH) / (text.length + 1)));
}

const EVERYTHING: Sql = { text: '1', values: [] };

/** There is no difference between two infinities. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

/** `documents`: the table of all. */
export function any(documents: string, conditions: readonly Condition[]): Condition {
  const possible = conditions.filter((condition) => condition !== NOTHING);
  const [only, ...more] = possible;
  if (only === undefined) return NOTHING;
  if (more.length === 0) return only;
  const size = (): number => possible.reduce((sum, condition) => sum + condition.size(), 0);
  return {
    size,
    walks: ({ most, met }) => {
      if (size() === Infinity) return [];
      const each = Math.floor(most / possible.length);
      const every = possible.flatMap(({ walks }) => walks({ most: each, met }));
      return every.length <= most ? every : [together(documents, every)];
    },
    probe: (driving) =>
      joined(
        possible.map(({ probe }) => probe(driving)),
        'OR',
      ),
  };
}

function together(documents: string, every: readonly Walk[]): Walk {
  const ids = every.map(({ table, text }) => `SELECT d.id FROM ${table} d WHERE ${text}`).join(' UNION ALL ');
  const values = every.flatMap((walk) => walk.values);
  return { table: documents, text: `d.id IN (${ids})`, values, isOnce: false };
}

/** Only matches are walked, by the index. */
export function none(condition: Condition): Condition {
  return {
    size: () => Infinity,
    walks: () => [],
    probe: (driving) => {
      const { text, values } = condition.probe(driving);
      return { text: `NOT (${text})`, values };
    },
  };
}
