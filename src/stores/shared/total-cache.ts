import { LRUCache } from 'lru-cache';

/** In characters of what was counted, which may be as long as a filter. */
const REMEMBERED_SIZE = 4 * 1024 * 1024;

/** Totals that had to be counted, by what was counted and when. */
export function totalCache(): Pick<LRUCache<string, number>, 'get' | 'set'> {
  return new LRUCache<string, number>({
    max: 1000,
    maxSize: REMEMBERED_SIZE,
    sizeCalculation: (_, name) => name.length,
  });
}
