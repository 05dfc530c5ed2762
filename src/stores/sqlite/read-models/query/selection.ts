import { type PlainQuery } from '../../../../core/read-models.js';
import { type Condition } from './conditions.js';
import { type Source } from './criteria-to-sql.js';
import { storable, type Value } from '../../../shared/well-formed-text.js';
import { joined, type Sql } from './sql.js';

/** Selects ids, each once. */
export interface Selection extends Sql {
  /** Whether it goes to the end of its walks for the first id already. */
  readonly isWalkedWhole: boolean;
}

/** More of them would be slower than sorting. */
const MOST_WALKS = 32;

/** `isFrom`: of `d.id`, what else has to hold; it is found by walking on. */
export function selection({ names }: Source, matching: Condition, query: PlainQuery, isFrom?: Sql): Selection {
  const found = matching.walks({ most: MOST_WALKS, met: (size) => met(size, query) });
  const walks = found.length > 0 ? found : [{ ...matching.probe(Infinity), table: names.documents, isOnce: true }];
  const isWalkedWhole = walks.some(({ isOnce }) => !isOnce);
  const select = isWalkedWhole && walks.length === 1 ? 'SELECT DISTINCT' : 'SELECT';
  const all = isFrom === undefined ? walks : walks.map((walk) => ({ ...walk, ...joined([walk, isFrom], 'AND') }));
  return {
    // SQLite merges several in the order of the ids, as far as the page goes.
    text: all.map(({ table, text }) => `${select} d.id FROM ${table} d WHERE ${text}`).join(' UNION '),
    values: all.flatMap(({ values }) => values),
    isWalkedWhole,
  };
}

/** Of ids alone. */
export function behind({ after, direction }: PlainQuery): Sql | undefined {
  return after && { text: `d.id ${direction === 'asc' ? '>' : '<'} ?`, values: [storable(after.id)] };
}

export const directionOf = (isAscending: boolean): string => (isAscending ? 'ASC' : 'DESC');

export const byIds = ({ text, values }: Sql, { direction }: PlainQuery): Sql => ({
  text: `${text} ORDER BY id ${directionOf(direction === 'asc')}`,
  values,
});

/** Of a page of what is selected. */
export function idsOf({ file }: Source, { text, values }: Sql, { limit, offset }: PlainQuery): readonly Value[] {
  const rows = file.sql(`${text} LIMIT ? OFFSET ?`).all(...values, limit, offset);
  return rows.map(({ id }) => id as Value);
}

/** About how many documents of a walk are asked about: all where they have to be counted. */
const met = (size: number, { total, offset, limit }: PlainQuery): number =>
  total === undefined || total === 0 ? size : Math.min(size, ((offset + limit) * size) / total);
