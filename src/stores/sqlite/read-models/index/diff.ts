import { type Change } from '../../../../core/projection.js';
import { type Document } from '../../../../core/read-models.js';
import { serialized } from '../../../../core/unwritable-document.js';
import { storable, storedText, type Value } from '../../../shared/well-formed-text.js';

/** What the index holds of one document. */
export interface Indexed {
  /** By key, none twice. */
  readonly entries: ReadonlyMap<number, ReadonlySet<Value>>;
  /** By key. Texts under one key are numbered. */
  readonly texts: ReadonlyMap<number, readonly string[]>;
}

export const NOTHING: Indexed = { entries: new Map(), texts: new Map() };

export function indexed(
  { model, id }: Pick<Change, 'model' | 'id'>,
  document: Document | null,
  numberOf: (key: string) => number,
): Indexed {
  if (document === null || model.entries === undefined) return NOTHING;
  const entries = new Map<number, Set<Value>>();
  const texts = new Map<number, string[]>();
  for (const entry of serialized({ model, id }, () => model.entries?.(document) ?? [])) {
    const key = numberOf(entry.key);
    if ('text' in entry) inMap(texts, key, () => []).push(storedText(entry.text));
    else if (!Number.isNaN(entry.value)) inMap(entries, key, () => new Set()).add(storable(entry.value));
  }
  return { entries, texts };
}

function inMap<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

export interface Entry {
  readonly id: Value;
  readonly key: number;
  readonly value: Value;
}

interface Text {
  readonly key: number;
  readonly id: Value;
  readonly nth: number;
  readonly folded: string;
}

/** What one commit does to the index of a read model: counts of texts as differences. */
export interface IndexChanges {
  readonly entriesAdded: Entry[];
  readonly entriesRemoved: Entry[];
  readonly textsWritten: (Text & { readonly before: string | undefined })[];
  readonly textsRemoved: Text[];
  readonly textCounts: Map<number, number>;
}

export function noIndexChanges(): IndexChanges {
  return { entriesAdded: [], entriesRemoved: [], textsWritten: [], textsRemoved: [], textCounts: new Map() };
}

/** Adds what has to be written so that the index of one document goes from `before` to `after`. */
export function compare(id: Value, before: Indexed, after: Indexed, changes: IndexChanges): void {
  for (const [key, value] of missing(before, after)) changes.entriesRemoved.push({ id, key, value });
  for (const [key, value] of missing(after, before)) changes.entriesAdded.push({ id, key, value });
  for (const key of new Set([...before.texts.keys(), ...after.texts.keys()])) {
    compareTexts({ key, id }, before.texts.get(key) ?? [], after.texts.get(key) ?? [], changes);
  }
}

/** The entries that the one has and the other has not. */
function* missing({ entries }: Indexed, other: Indexed): Generator<readonly [number, Value], void> {
  for (const [key, values] of entries) {
    const known = other.entries.get(key);
    for (const value of values) if (known?.has(value) !== true) yield [key, value];
  }
}

function compareTexts(
  { key, id }: Pick<Text, 'key' | 'id'>,
  before: readonly string[],
  after: readonly string[],
  { textsWritten, textsRemoved, textCounts }: IndexChanges,
): void {
  for (const [nth, folded] of after.entries()) {
    if (before[nth] !== folded) textsWritten.push({ key, id, nth, folded, before: before[nth] });
  }
  for (const [nth, folded] of before.entries()) {
    if (nth >= after.length) textsRemoved.push({ key, id, nth, folded });
  }
  textCounts.set(key, (textCounts.get(key) ?? 0) + after.length - before.length);
}
