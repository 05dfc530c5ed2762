/** Ranges of texts as regular expressions, in the order of their UTF-8, which is that of their code points. */
import { storable } from '../../../shared/well-formed-text.js';
import { alternatives, characterBetween, END, literally } from './regular-expressions.js';

/** Only servers that ask all of one and the same item compare what is behind them. */
const MOST_CHARACTERS = 100;

interface TextBounds {
  readonly above?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly below?: string | undefined;
}

type Characters = readonly string[];

/** How what is not above the text goes on behind it. Null: it does not even end there. */
interface Highest {
  readonly characters: Characters;
  readonly end: string | null;
}

/** Matches texts from their beginning; null for an empty range. */
export function textsBetween({ above, from = '', to, below }: TextBounds): string | null {
  // No text that is stored has the character, so none comes between.
  const behind = above === undefined ? '' : `${storable(above)}\0`;
  const low = [storable(from), behind].toSorted(compare).at(-1) ?? '';
  const ends = [
    ...(below === undefined ? [] : [{ text: storable(below), end: null }]),
    ...(to === undefined ? [] : [{ text: storable(to), end: END }]),
  ];
  const [high] = ends.toSorted((a, b) => compare(a.text, b.text));
  const lowest = Array.from(low).slice(0, MOST_CHARACTERS);
  const found = high === undefined ? [textsFrom(lowest)] : between(lowest, highestOf(high.text, high.end));
  return found.length === 0 ? null : alternatives(found);
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function highestOf(text: string, end: string | null): Highest {
  const characters = Array.from(text);
  if (characters.length <= MOST_CHARACTERS) return { characters, end };
  return { characters: characters.slice(0, MOST_CHARACTERS), end: '' };
}

/** Patterns, of which one has to match. */
type Patterns = readonly string[];

function between([low, ...lows]: Characters, highest: Highest): Patterns {
  if (low === undefined) return textsTo(highest);
  const [high] = highest.characters;
  if (high === undefined) return highest.end === '' ? [textsFrom([low, ...lows])] : [];
  if (low === high) return after(high, between(lows, rest(highest)));
  if (compare(low, high) > 0) return [];
  return [literally(low) + textsFrom(lows), ...characterBetween(low, high), ...after(high, textsTo(rest(highest)))];
}

function textsFrom([low, ...lows]: Characters): string {
  return low === undefined ? '' : alternatives([literally(low) + textsFrom(lows), ...characterBetween(low, null)]);
}

function textsTo(highest: Highest): Patterns {
  const [high] = highest.characters;
  if (high === undefined) return highest.end === null ? [] : [highest.end];
  return [END, ...characterBetween(null, high), ...after(high, textsTo(rest(highest)))];
}

function after(character: string, patterns: Patterns): Patterns {
  return patterns.length === 0 ? [] : [literally(character) + alternatives(patterns)];
}

const rest = ({ characters, end }: Highest): Highest => ({ characters: characters.slice(1), end });
