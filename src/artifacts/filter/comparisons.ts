/** How texts, numbers and dates are compared: `{"operator": ">", "value": 5}` and `">5"` say the same. */
import { type Criterion, type Range } from '../../core/read-models.js';
import { foldText } from '../../core/text/spelling.js';

const SIGNS = ['=', '<', '<=', '>', '>='] as const;

export type Sign = (typeof SIGNS)[number];

export type Comparing = Sign | 'contains' | 'between';

/** The operands are still to be read as numbers or dates. */
export type Comparison =
  | { readonly sign: Sign; readonly operand: unknown }
  | { readonly sign: 'between'; readonly from: unknown; readonly to: unknown };

/** What a value stands for: all from its first to its last. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

export type Bounds = Pick<Range, 'above' | 'from' | 'to' | 'below'>;

export const BOUNDS: Readonly<Record<Exclude<Sign, '='>, (span: Span) => Bounds>> = {
  '<': ({ first }) => ({ below: first }),
  '<=': ({ last }) => ({ to: last }),
  '>': ({ last }) => ({ above: last }),
  '>=': ({ first }) => ({ from: first }),
};

/** Longer ones hold no comparison, and expressions take their time over them. */
const MAX_LENGTH = 200;

/**
 * `contains` compares as the text of its value says, and is `=` where that says nothing. `range` parts the two ends of a
 * text. Undefined for what is no comparison.
 */
export function comparisonOf(operator: Comparing, value: unknown, range: RegExp): Comparison | undefined {
  if (operator === 'between') {
    const ends: readonly unknown[] = Array.isArray(value) ? value : [];
    return ends.length === 2 ? { sign: operator, from: ends[0], to: ends[1] } : undefined;
  }
  if (operator !== 'contains') return { sign: operator, operand: value };
  return typeof value === 'string' ? writtenComparison(value.trim(), range) : { sign: '=', operand: value };
}

function writtenComparison(text: string, range: RegExp): Comparison | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, from, to] = range.exec(text) ?? [];
  if (from !== undefined) return { sign: 'between', from, to };
  const [, written = '=', operand] = /^(<=|<|>=|>)?\s*(.*)$/s.exec(text) ?? [];
  const sign = SIGNS.find((known) => known === written);
  return sign && { sign, operand };
}

/** All words of the value, or with `=` all of it in one piece, as in TQL. Undefined for what is no text. */
export function textCriteria(key: string, operator: Comparing, value: unknown): readonly Criterion[] | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  if (operator === '=') return [{ type: 'contains', key, text: String(value) }];
  const words = new Set(foldText(String(value)).trim().split(/\s+/));
  return [...words].map((text) => ({ type: 'contains', key, text }));
}

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`;
const WHOLE = new RegExp(`^${NUMBER}$`);
const RANGE = new RegExp(`^(${NUMBER})\\s*-\\s*(${NUMBER})$`);

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
  if (sign === '=') return { type: 'any-of', key, values: [value] };
  return { type: 'range', key, ...BOUNDS[sign]({ first: value, last: value }) };
}

function numberFrom(given: unknown): number | undefined {
  const isText = typeof given === 'string' && given.length <= MAX_DIGITS && WHOLE.test(given.trim());
  const value = isText ? Number(given) : given;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const MAX_DIGITS = 200;
