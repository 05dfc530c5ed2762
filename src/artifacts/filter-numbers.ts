import { type Criterion } from '../core/read-models.js';

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`;
const COMPARED = new RegExp(`^(<=?|>=?)?\\s*(${NUMBER})$`);
const BETWEEN = new RegExp(`^(${NUMBER})\\s*-\\s*(${NUMBER})$`);

const BOUNDS = { '<': 'below', '<=': 'to', '>': 'above', '>=': 'from' } as const;

/** `42`, `"42"`, `"<5"`, `">= 5"`, `"1 - 9"` with both ends; undefined for anything else. */
export function numberCriterion(key: string, given: unknown): Criterion | undefined {
  if (typeof given !== 'number' && typeof given !== 'string') return undefined;
  const text = String(given).trim();

  const compared = COMPARED.exec(text);
  if (compared !== null) return comparison(key, compared[1], Number(compared[2]));

  const between = BETWEEN.exec(text);
  if (between === null) return undefined;
  const [from, to] = [Number(between[1]), Number(between[2])];
  return Number.isFinite(from) && Number.isFinite(to) ? { type: 'range', key, from, to } : undefined;
}

function comparison(key: string, operator: string | undefined, value: number): Criterion | undefined {
  if (!Number.isFinite(value)) return undefined;
  if (operator === undefined) return { type: 'any-of', key, values: [value] };
  return isBound(operator) ? { type: 'range', key, [BOUNDS[operator]]: value } : undefined;
}

const isBound = (operator: string): operator is keyof typeof BOUNDS => Object.hasOwn(BOUNDS, operator);
