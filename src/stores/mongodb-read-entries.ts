/** Index entries as texts: only texts are found alike, whatever the server, and one index serves all keys. */
import { type Document, type IndexEntry, type ReadModel } from '../core/read-models.js';
import { sortableDigits } from './mongodb-read-numbers.js';
import { searchable, storable, type Value } from './stored-text.js';

export interface Entries {
  /** What is asked for equality and ranges: key and value, and ANY in every document. */
  readonly e: readonly string[];
  /** Keys under which there are values. */
  readonly k: readonly string[];
  /** Key and folded text. */
  readonly t: readonly string[];
  /** Key and three characters of a folded text, for each three there are. */
  readonly g: readonly string[];
}

export const ANY = '*';

/** Longer texts say that not all of them is in their trigrams: what few ask for is not worth a big index. */
const INDEXED_CHARACTERS = 256;

/** Sorts as the values do: numbers by size, then texts. A NaN sorts nowhere. */
export function sortable(value: Value): string {
  return typeof value === 'number' ? numbered(sortableDigits(value)) : `s${storable(value)}`;
}

/** A number by its digits, or what all numbers begin with. */
export function numbered(digits: string): string {
  return `n${digits}`;
}

/** U+0001 ends a key, so none can have it. */
export function underKey(key: string, rest: string): string {
  const name = storable(key).replaceAll('\u0002', '\u0002=').replaceAll('\u0001', '\u0002-');
  return `${name}\u0001${rest}`;
}

export function entriesOf(model: ReadModel<Document>, document: Document): Entries {
  const e = new Set([ANY]);
  const k = new Set<string>();
  const t = new Set<string>();
  const g = new Set<string>();
  for (const entry of model.entries?.(document) ?? []) {
    if ('text' in entry) addText(entry.key, searchable(entry.text), t, g);
    else addValue(entry, e, k);
  }
  return { e: [...e], k: [...k], t: [...t], g: [...g] };
}

function addValue({ key, value }: Extract<IndexEntry, { value: Value }>, e: Set<string>, k: Set<string>): void {
  if (Number.isNaN(value)) return;
  e.add(underKey(key, sortable(value)));
  k.add(storable(key));
}

function addText(key: string, folded: string, t: Set<string>, g: Set<string>): void {
  const prefix = underKey(key, '');
  t.add(prefix + folded);
  // No character takes more than two code units.
  const characters = Array.from(folded.slice(0, 2 * INDEXED_CHARACTERS));
  const isLonger = characters.length > INDEXED_CHARACTERS || folded.length > 2 * INDEXED_CHARACTERS;
  if (isLonger) g.add(prefix);
  for (const trigram of trigrams(characters.slice(0, INDEXED_CHARACTERS))) g.add(prefix + trigram);
}

export function trigrams(characters: readonly string[]): readonly string[] {
  return characters.slice(2).map((last, index) => `${characters[index] ?? ''}${characters[index + 1] ?? ''}${last}`);
}
