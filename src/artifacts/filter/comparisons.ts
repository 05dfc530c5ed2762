/** How texts, numbers and dates are compared: `{"operator": ">", "value": 5}` and `">5"` say the same. */
import { type Criterion, type Range } from '../../core/read-models.js';
import { foldText } from '../../core/text/spelling.js';

const SIGNS = ['=', '<', '<=', '>', '>='] as const;

type Sign = (typeof SIGNS)[number];

export type Comparing = Sign | 'contains' | 'between';

interface Comparison {
  readonly sign: Sign | 'between';
  /** Still to be read as numbers or dates: two for `between`, one for the others. */
  readonly operands: readonly unknown[];
}

/** What a value stands for: all from its first to its last. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

type Bounds = Pick<Range, 'above' | 'from' | 'to' | 'below'>;

const BOUNDS: Readonly<Partial<Record<string, (span: Span) => Bounds>>> = {
  '<': ({ first }) => ({ below: first }),
  '<=': ({ last }) => ({ to: last }),
  '>': ({ last }) => ({ above: last }),
  '>=': ({ first }) => ({ from: first }),
};

/** With any other sign: from the first of a span to the last of it, or of another one. */
export const boundsOf = (sign: string, span: Span, end = span): Bounds =>
  BOUNDS[sign]?.(span) ?? { from: span.first, to: end.last };

export const boundedCriterion = (key: string, bounds: Bounds): Criterion =>
  bounds.from !== undefined && bounds.from === bounds.to
    ? { type: 'any-of', key, values: [bounds.from] }
    : { type: 'range', key, ...bounds };

/**
 * `range` parts the two ends of a text. `spanOf` reads an operand; undefined for what is none. Undefined for what is no
 * comparison of operands.
 */
export function comparedBounds(
  operator: Comparing,
  given: unknown,
  { range, spanOf }: { readonly range: RegExp; readonly spanOf: (operand: unknown) => Span | undefined },
): Bounds | undefined {
  const comparison = comparisonOf(operator, given, range);
  const spans = comparison?.operands.map(spanOf) ?? [];
  const [span, end] = spans;
  if (comparison === undefined || span === undefined || spans.includes(undefined)) return undefined;
  return boundsOf(comparison.sign, span, end);
}

/** Longer ones hold no comparison, and expressions take their time over them. */
const MAX_LENGTH = 200;

/** `contains` compares as the text of its value says, and is `=` where that says nothing. Undefined for what is no comparison. */
function comparisonOf(operator: Comparing, value: unknown, range: RegExp): Comparison | undefined {
  if (operator === 'between') {
    const operands: readonly unknown[] = Array.isArray(value) ? value : [];
    return operands.length === 2 ? { sign: operator, operands } : undefined;
  }
  if (operator !== 'contains') return { sign: operator, operands: [value] };
  return typeof value === 'string' ? writtenComparison(value.trim(), range) : { sign: '=', operands: [value] };
}

function writtenComparison(text: string, range: RegExp): Comparison | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, from, to] = range.exec(text) ?? [];
  if (from !== undefined) return { sign: 'between', operands: [from, to] };
  const [, written = '=', operand] = /^(<=|<|>=|>)?\s*(.*)$/s.exec(text) ?? [];
  const sign = SIGNS.find((known) => known === written);
  return sign && { sign, operands: [operand] };
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
export function numberCriteria(key: string, operator: Comparing, given: unknown): readonly Criterion[] | undefined {
  const bounds = comparedBounds(operator, given, { range: RANGE, spanOf: numberSpan });
  return bounds && [boundedCriterion(key, bounds)];
}

function numberSpan(given: unknown): Span | undefined {
  const isText = typeof given === 'string' && given.length <= MAX_DIGITS && WHOLE.test(given.trim());
  const value = isText ? Number(given) : given;
  return typeof value === 'number' && Number.isFinite(value) ? { first: value, last: value } : undefined;
}

const MAX_DIGITS = 200;
