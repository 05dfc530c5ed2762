/** Estimates the number of index entries that match a condition. */
import { LRUCache } from 'lru-cache';
import { type ReadModelFile } from '../file.js';
import { number, type Sql } from './sql.js';

/** Counting further than this costs more than knowing it is worth. */
export const MOST_COUNTED = 20_000;

/** Of single values, which many queries have in common. */
export const MOST_OF_VALUES = 100_000;

/** The number of matching rows, `most` at most, perhaps of some seconds ago; 0 only where no row matches. */
export type SizeOf = (table: string, where: Sql, most?: number) => number;

/** Counting this many takes microseconds. */
const FEW = 500;
const REMEMBERED_MS = 10_000;
/** In characters of the conditions, each of which may be as long as a filter. */
const REMEMBERED_SIZE = 1024 * 1024;

/** Caches large sizes. A cached size chooses only between query plans with the same result. */
export function sizeEstimates(file: ReadModelFile): SizeOf {
  const large = new LRUCache<string, number>({
    ttl: REMEMBERED_MS,
    max: 1000,
    maxSize: REMEMBERED_SIZE,
    sizeCalculation: (_, name) => name.length,
  });
  return (table, { text: where, values }, most = MOST_COUNTED) => {
    const name = JSON.stringify([table, where, values]);
    const known = large.get(name);
    if (known !== undefined) return known;
    const text = `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE ${where} LIMIT ${most})`;
    const size = number(file, { text, values });
    if (size > FEW) large.set(name, size);
    return size;
  };
}
