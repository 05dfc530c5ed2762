/** Ranges of numbers as regular expressions that mean the same to all servers, over their digits in entries. */
const DIGITS = Array.from('0123456789abcdef');

/** Comes after all digits. */
export const NO_END = 'g';

/** Matches digits from `low` on and before `high`, from their beginning; null for an empty range. */
export function digitsBetween(low: string, high: string): string | null {
  const found = between(low, high);
  return found.length === 0 ? null : alternatives(found);
}

/** Patterns, of which one has to match. */
type Patterns = readonly string[];

/** The end of the entry. */
const END = '\\z';

function between(low: string, high: string): Patterns {
  if (low === '' && high === NO_END) return [''];
  if (low >= high) return [];
  const [first, last] = [low.charAt(0), high.charAt(0)];
  if (first === last) return behind(first, between(low.slice(1), high.slice(1)));
  return [
    ...(low === '' ? [END] : behind(first, between(low.slice(1), NO_END))),
    ...oneBetween(first, last),
    ...behind(last, between('', high.slice(1))),
  ];
}

function behind(digit: string, patterns: Patterns): Patterns {
  return patterns.length === 0 ? [] : [digit + alternatives(patterns)];
}

function alternatives(patterns: Patterns): string {
  const [only, ...others] = patterns;
  return others.length === 0 ? (only ?? '') : `(?:${patterns.join('|')})`;
}

/** Any one digit between the two; no pattern if there is no such digit. */
function oneBetween(low: string, high: string): Patterns {
  const digits = DIGITS.filter((digit) => low < digit && digit < high);
  return digits.length === 0 ? [] : [`[${digits.join('')}]`];
}
