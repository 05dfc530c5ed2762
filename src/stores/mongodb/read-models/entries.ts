/** Index entries as texts: only texts are found alike, whatever the server, and one index serves all keys. */
import { type Document, type IndexEntry, type ReadModel } from '../../../core/read-models.js';
import { numberIn, sortableDigits } from './sortable-numbers.js';
import { searchable, storable, type Value } from '../../shared/well-formed-text.js';

export interface Entries {
  /** What is asked for equality and ranges: key and value, that there is a text, and ANY in every document. */
  readonly e: readonly string[];
  /** Key and folded text. */
  readonly t: readonly string[];
  /** Key and up to three characters of a folded text, for each place in it. */
  readonly g: readonly string[];
}

export const ANY = '*';

/** Longer texts say that not all of them is in their grams: what few ask for is not worth a big index. */
const INDEXED_CHARACTERS = 256;
/** Characters. */
const GRAM = 3;

/** Sorts as the values do: numbers by size, then texts. A NaN sorts nowhere. */
export function sortable(value: Value): string {
  return typeof value === 'number' ? numbered(sortableDigits(value)) : `s${storable(value)}`;
}

/** The value that sorts like this. */
export function sorted(text: string): Value {
  return text.startsWith('n') ? numberIn(text.slice(1)) : text.slice(1);
}

/** A number by its digits, or what all numbers begin with. */
export function numbered(digits: string): string {
  return `n${digits}`;
}

const KEY_END = '\u0001';

/** No key can have what ends it. */
export function underKey(key: string, rest: string): string {
  const name = storable(key).replaceAll('\u0002', '\u0002=').replaceAll('\u0001', '\u0002-');
  return `${name}${KEY_END}${rest}`;
}

/** Of all documents with a text under the key. */
export const textUnder = (key: string): string => underKey(key, 't');
/** Of all grams of texts that are longer than their grams tell. */
export const longUnder = (key: string): string => underKey(key, '');

export function entriesOf(model: ReadModel<Document>, document: Document): Entries {
  const e = new Set([ANY]);
  const t = new Set<string>();
  const g = new Set<string>();
  // A NaN equals nothing and lies nowhere: nobody can ask for it.
  const all = (model.entries?.(document) ?? []).filter((entry) => !('value' in entry && Number.isNaN(entry.value)));
  for (const entry of all) {
    e.add(storedEntry(entry));
    if ('text' in entry) addText(entry.key, searchable(entry.text), t, g);
  }
  return { e: [...e], t: [...t], g: [...g] };
}

function storedEntry(entry: IndexEntry): string {
  return 'text' in entry ? textUnder(entry.key) : underKey(entry.key, sortable(entry.value));
}

function addText(key: string, folded: string, t: Set<string>, g: Set<string>): void {
  const prefix = underKey(key, '');
  t.add(prefix + folded);
  // No character takes more than two code units.
  const characters = Array.from(folded.slice(0, 2 * INDEXED_CHARACTERS));
  const isLonger = characters.length > INDEXED_CHARACTERS || folded.length > 2 * INDEXED_CHARACTERS;
  if (isLonger) g.add(longUnder(key));
  for (const gram of grams(characters.slice(0, INDEXED_CHARACTERS))) g.add(prefix + gram);
}

/** One begins at each character: what is shorter than a gram begins one, wherever it is. */
function grams(characters: readonly string[]): readonly string[] {
  return characters.map((_, index) => characters.slice(index, index + GRAM).join(''));
}

/** Those that a text with these characters somewhere has for sure; none for fewer than make one. */
export function wholeGrams(characters: readonly string[]): readonly string[] {
  return grams(characters).slice(0, Math.max(0, characters.length - GRAM + 1));
}
