import { type Criterion } from '../../core/read-models.js';
import { comparisonOf, type Comparing } from './comparisons.js';

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`;
const WHOLE = new RegExp(`^${NUMBER}$`);
const RANGE = new RegExp(`^(${NUMBER})\\s*-\\s*(${NUMBER})$`);

const BOUNDS = { '<': 'below', '<=': 'to', '>': 'above', '>=': 'from' } as const;

/** `42`, `"42"`, `"<5"`, `">= 5"`, `"1 - 9"` with both ends, and the same by operator; undefined for anything else. */
export function numberCriterion(key: string, operator: Comparing, given: unknown): Criterion | undefined {
  const comparison = comparisonOf(operator, given, RANGE);
  if (comparison === undefined) return undefined;
  if (comparison.sign === 'between') {
    const [from, to] = [numberFrom(comparison.from), numberFrom(comparison.to)];
    return from === undefined || to === undefined ? undefined : { type: 'range', key, from, to };
  }
  const { sign } = comparison;
  const value = numberFrom(comparison.operand);
  if (value === undefined) return undefined;
  return sign === '=' ? { type: 'any-of', key, values: [value] } : { type: 'range', key, [BOUNDS[sign]]: value };
}

function numberFrom(given: unknown): number | undefined {
  const isText = typeof given === 'string' && given.length <= MAX_DIGITS && WHOLE.test(given.trim());
  const value = isText ? Number(given) : given;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const MAX_DIGITS = 200;
