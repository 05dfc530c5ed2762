/** Index entries as texts: only texts match alike on all servers, and one index serves all keys. */
import { type Document, type IndexEntry, type ReadModel } from '../../../core/read-models.js';
import { storable, storedText, type Value } from '../../shared/well-formed-text.js';

export interface Entries {
  /** What is asked for equality and ranges: key and value, that there is a text, and ANY in every document. */
  readonly e: readonly string[];
  /** Key and folded text: in no index, which would have to hold each place in it. */
  readonly t: readonly string[];
  /** By key, see `orderName`: between which of its values the document lies. Numbers are numbers here: they are short. */
  readonly o: Readonly<Record<string, Extent>>;
}

/** Least and greatest, and that there are any: what has none comes last where this descends. */
interface Extent {
  readonly i: true;
  readonly a: Value;
  readonly z: Value;
}

export const ANY = '*';

/** Sorts as the values do: numbers by size, then texts. A NaN sorts nowhere. */
export function sortable(value: Value): string {
  return typeof value === 'number' ? `n${digitsOf(value)}` : `s${storable(value)}`;
}

/** The value that sorts like this. */
export function sorted(text: string): Value {
  return text.startsWith('n') ? numberIn(text.slice(1)) : text.slice(1);
}

const DOUBLE_BYTES = 8;

/** Hexadecimal. Most numbers have zeros at the end, and sort alike without. */
function digitsOf(value: number): string {
  const bytes = Buffer.alloc(DOUBLE_BYTES);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  turn(bytes, value < 0);
  return bytes.toString('hex').replace(/0+$/, '');
}

function numberIn(digits: string): number {
  const bytes = Buffer.from(digits.padEnd(2 * DOUBLE_BYTES, '0'), 'hex');
  turn(bytes, (bytes[0] ?? 0) < 0x80);
  return bytes.readDoubleBE();
}

/** The bits of a double grow with it once those of negative ones are turned round, and the sign of the others is. */
function turn(bytes: Buffer, isNegative: boolean): void {
  for (const [index, byte] of bytes.entries()) {
    if (isNegative) bytes[index] = ~byte;
    else if (index === 0) bytes[index] = byte ^ 0x80;
  }
}

const KEY_END = '\u0001';

/** No key can have what ends it. */
export function underKey(key: string, rest: string): string {
  const name = storable(key).replaceAll('\u0002', '\u0002=').replaceAll('\u0001', '\u0002-');
  return `${name}${KEY_END}${rest}`;
}

/** Of all documents with a text under the key. */
export const textUnder = (key: string): string => underKey(key, 't');

export function entriesOf(model: ReadModel<Document>, document: Document): Entries {
  const e = new Set([ANY]);
  const t = new Set<string>();
  // A NaN equals nothing and has no order, so no query can match it.
  const all = (model.entries?.(document) ?? []).filter((entry) => !('value' in entry && Number.isNaN(entry.value)));
  for (const entry of all) {
    e.add(storedEntry(entry));
    if ('text' in entry) t.add(underKey(entry.key, storedText(entry.text)));
  }
  return { e: [...e], t: [...t], o: extents(all) };
}

function extents(entries: readonly IndexEntry[]): Entries['o'] {
  const found = new Map<string, Extent>();
  for (const { key, value: given } of entries.filter(isOrdering)) {
    const name = orderName(key);
    const value = ordered(given);
    const { a, z } = found.get(name) ?? { a: value, z: value };
    found.set(name, { i: true, a: isBefore(value, a) ? value : a, z: isBefore(z, value) ? value : z });
  }
  return Object.fromEntries(found);
}

const isOrdering = (entry: IndexEntry): entry is Extract<IndexEntry, { value: Value }> =>
  'value' in entry && entry.unordered !== true;

/** A value as it is kept to sort by: servers sort numbers before texts. To some of them -0 is another number than 0. */
export function ordered(value: Value): Value {
  return value === 0 ? 0 : storable(value);
}

function isBefore(a: Value, b: Value): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  return Buffer.compare(Buffer.from(sortable(a)), Buffer.from(sortable(b))) < 0;
}

const SIGNS: Readonly<Record<string, string>> = { '.': ':', ':': '%:', '%': '%%', $: '%s' };

/** A key as the name of a field, which takes neither points nor dollars. */
export function orderName(key: string): string {
  const name = storable(key).replace(/[.:%$]/g, (sign) => SIGNS[sign] ?? sign);
  // Most keys begin with the number of a tracker. A number alone could mean a place in a list.
  return /^\d+\D/.test(name) ? name : `k${name}`;
}

function storedEntry(entry: IndexEntry): string {
  return 'text' in entry ? textUnder(entry.key) : underKey(entry.key, sortable(entry.value));
}
