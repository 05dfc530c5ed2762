/** How numbers and dates are compared: `{"operator": ">", "value": 5}` and `">5"` say the same. */

const SIGNS = ['=', '<', '<=', '>', '>='] as const;

export type Sign = (typeof SIGNS)[number];

export type Comparing = Sign | 'contains' | 'between';

/** The operands are still to be read as numbers or dates. */
export type Comparison =
  | { readonly sign: Sign; readonly operand: unknown }
  | { readonly sign: 'between'; readonly from: unknown; readonly to: unknown };

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
