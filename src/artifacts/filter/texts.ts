import { foldText, type Criterion } from '../../core/read-models.js';
import { type Comparing } from './comparisons.js';

/** All words of the value, or with `=` all of it in one piece, as in TQL. Undefined for what is no text. */
export function textCriteria(key: string, operator: Comparing, value: unknown): readonly Criterion[] | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  if (operator === '=') return [{ type: 'contains', key, text: String(value) }];
  const words = new Set(foldText(String(value)).trim().split(/\s+/));
  return [...words].map((text) => ({ type: 'contains', key, text }));
}
