/**
 * Ranges of texts as regular expressions that mean the same to all servers. The order is that of UTF-8, which is that of
 * the code points.
 */
import { storable } from '../../shared/well-formed-text.js';

/** 100 of a bound, and its end. Only servers that ask all of one and the same item compare what is behind them. */
const MOST_CHARACTERS = 101;

interface TextBounds {
  readonly above?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly below?: string | undefined;
}

type Characters = readonly string[];

/** The characters of the lowest text above the range. With null at the end, what begins with the others is in the range. */
type Limit = readonly (string | null)[];

const OPEN: Limit = [null];

/** Matches texts from their beginning; null for an empty range. */
export function textsBetween({ above, from = '', to, below }: TextBounds): string | null {
  const low = [storable(from), ...after(above)].toSorted(compare).at(-1) ?? '';
  const [high] = [...(below === undefined ? [] : [storable(below)]), ...after(to)].toSorted(compare);
  const found = between(Array.from(low).slice(0, MOST_CHARACTERS), high === undefined ? OPEN : limitAt(high));
  return found.length === 0 ? null : alternatives(found);
}

/** The next text: no text that is stored has the character. */
function after(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [`${storable(text)}\0`];
}

function limitAt(text: string): Limit {
  const characters = Array.from(text);
  return characters.length <= MOST_CHARACTERS ? characters : [...characters.slice(0, MOST_CHARACTERS), null];
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Patterns, of which one has to match. */
type Patterns = readonly string[];

function between([low, ...lows]: Characters, [high, ...highs]: Limit): Patterns {
  if (high === undefined) return [];
  if (high === null) return low === undefined ? [''] : [...behind(low, between(lows, OPEN)), ...oneBetween(low, null)];
  if (low === undefined) return [END, ...oneBetween(null, high), ...behind(high, between([], highs))];
  if (low === high) return behind(low, between(lows, highs));
  if (compare(low, high) > 0) return [];
  return [...behind(low, between(lows, OPEN)), ...oneBetween(low, high), ...behind(high, between([], highs))];
}

function behind(character: string, patterns: Patterns): Patterns {
  return patterns.length === 0 ? [] : [literally(character) + alternatives(patterns)];
}

/** With a bar, even escaped, MongoDB does not use a prefix. */
export function literally(text: string): string {
  return text
    .replace(/[\\^$.?*+()[\]{}]/g, '\\$&')
    .replaceAll('|', '\\x7c')
    .replaceAll('\0', '\\x{0}');
}

/** Of the whole text. */
const END = '\\z';

function alternatives(patterns: Patterns): string {
  const [only, ...others] = patterns;
  return others.length === 0 ? (only ?? '') : `(?:${patterns.join('|')})`;
}

const LAST_CHARACTER = 0x10ffff;

/** Any one character between the two; no pattern if there is no such character. */
function oneBetween(low: string | null, high: string | null): Patterns {
  const from = low === null ? 0 : codePoint(low) + 1;
  const to = high === null ? LAST_CHARACTER : codePoint(high) - 1;
  return from > to ? [] : [`[\\x{${from.toString(16)}}-\\x{${to.toString(16)}}]`];
}

const codePoint = (character: string): number => character.codePointAt(0) ?? 0;
