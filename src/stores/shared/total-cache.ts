import { LRUCache } from 'lru-cache';
import { type Position } from '../../core/event-log.js';
import { type Criterion } from '../../core/read-models.js';

/** In characters of what was counted, which may be as long as a filter. */
const REMEMBERED_SIZE = 4 * 1024 * 1024;

/** Totals that had to be counted, by what was counted and when. */
export interface Totals {
  get(name: string): number | undefined;
  set(name: string, total: number): unknown;
}

export function totalCache(): Totals {
  return new LRUCache<string, number>({
    max: 1000,
    maxSize: REMEMBERED_SIZE,
    sizeCalculation: (_, name) => name.length,
  });
}

export function totalName(documents: string, position: Position | null, where: readonly Criterion[]): string {
  return JSON.stringify([documents, position, where], finite);
}

/** JSON has no infinite numbers. In a list, none is taken for the text of the same letters. */
function finite(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? [String(value)] : value;
}
