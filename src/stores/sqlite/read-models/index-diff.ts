import { type Change } from '../../../core/projection.js';
import { type Document } from '../../../core/read-models.js';
import { serialized } from '../../../core/unwritable-document.js';
import { searchable, storable, type Value } from '../../shared/well-formed-text.js';

interface Entry {
  readonly key: number;
  readonly value: Value;
}

interface Text {
  readonly key: number;
  /** Texts under one key are numbered. */
  readonly nth: number;
  readonly folded: string;
}

/** The index entries of one document, under a name each, none twice. */
export interface Indexed {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly texts: ReadonlyMap<string, Text>;
}

const NOTHING: Indexed = { entries: new Map(), texts: new Map() };

export function indexed(
  { model, id }: Pick<Change, 'model' | 'id'>,
  document: Document | null,
  numberOf: (key: string) => number,
): Indexed {
  if (document === null || model.entries === undefined) return NOTHING;
  const entries = new Map<string, Entry>();
  const texts = new Map<string, Text>();
  for (const entry of serialized({ model, id }, () => model.entries?.(document) ?? [])) {
    const key = numberOf(entry.key);
    if ('text' in entry) {
      const nth = nextOf(texts, key);
      texts.set(textName(key, nth), { key, nth, folded: searchable(entry.text) });
    } else if (!Number.isNaN(entry.value)) {
      const value = storable(entry.value);
      entries.set(typeof value === 'number' ? `${key}=${value}` : `${key}"${value}`, { key, value });
    }
  }
  return { entries, texts };
}

const textName = (key: number, nth: number): string => `${key}.${nth}`;

function nextOf(texts: ReadonlyMap<string, Text>, key: number): number {
  let nth = 0;
  while (texts.has(textName(key, nth))) nth += 1;
  return nth;
}

/** The documents that get or lose an entry. */
export interface Posting extends Entry {
  readonly added: Value[];
  readonly removed: Value[];
}

/** What one commit does to the index of a read model: entries by name, counts of texts as differences. */
export interface IndexChanges {
  readonly postings: Map<string, Posting>;
  readonly textsWritten: (Text & { readonly id: Value; readonly before: string | undefined })[];
  readonly textsRemoved: (Text & { readonly id: Value })[];
  readonly textCounts: Map<number, number>;
}

export function noIndexChanges(): IndexChanges {
  return { postings: new Map(), textsWritten: [], textsRemoved: [], textCounts: new Map() };
}

/** Adds what has to be written so that the index of one document goes from `before` to `after`. */
export function compare(id: Value, before: Indexed, after: Indexed, changes: IndexChanges): void {
  for (const [name, entry] of before.entries) {
    if (!after.entries.has(name)) posting(changes, name, entry).removed.push(id);
  }
  for (const [name, entry] of after.entries) {
    if (!before.entries.has(name)) posting(changes, name, entry).added.push(id);
  }
  compareTexts(id, before, after, changes);
}

function posting({ postings }: IndexChanges, name: string, { key, value }: Entry): Posting {
  const known = postings.get(name);
  if (known !== undefined) return known;
  const made = { key, value, added: [], removed: [] };
  postings.set(name, made);
  return made;
}

function compareTexts(id: Value, before: Indexed, after: Indexed, changes: IndexChanges): void {
  for (const [name, text] of before.texts) {
    if (after.texts.has(name)) continue;
    changes.textsRemoved.push({ ...text, id });
    countText(changes, text.key, -1);
  }
  for (const [name, text] of after.texts) {
    const old = before.texts.get(name);
    if (old?.folded === text.folded) continue;
    changes.textsWritten.push({ ...text, id, before: old?.folded });
    if (old === undefined) countText(changes, text.key, 1);
  }
}

function countText({ textCounts }: IndexChanges, key: number, n: number): void {
  textCounts.set(key, (textCounts.get(key) ?? 0) + n);
}
