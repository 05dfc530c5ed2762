/**
 * Texts that stand in documents of their own: comments, names and descriptions of files. Which of them hold a text is
 * read before the page is asked for.
 */
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { type Criterion, type Document, type ReadModel } from '../../core/read-models.js';
import { fileTextKey, fileViews, OF_ARTIFACT_KEY } from '../../files/file-view.js';
import { commentsKey, fieldKey, ownKey } from '../artifact-view.js';
import { commentedBy, commentedKey, commentViews, phraseOf } from '../comment-view.js';
import { pagesOfIds } from '../representation/artifact-pages.js';
import { candidates, type Asked } from './candidates.js';
import { type Comparison } from './expression.js';
import { FaultyQuery } from './faults.js';

/** Artifacts, and texts of them, that a search goes through. */
const MAX_FOUND = 10_000;

export interface Search {
  readonly type: 'search';
  /** Null: nothing holds it. */
  readonly text: string | null;
  readonly source: TextSource;
}

interface TextSource {
  readonly model: ReadModel<Document>;
  readonly textKey: string;
  /** Of a document: its artifact. */
  readonly artifactKey: string;
  /** Every artifact with such a text has an entry under it. */
  readonly presenceKey: string;
  /** The entry of an artifact that a document leads to. */
  readonly entryOf: { readonly key: string; readonly value: (id: Document['id']) => number };
}

/** One of the comments holds its words as a phrase. */
export const commentSearch = (trackerId: number, text: string): Search => ({
  type: 'search',
  text: phraseOf({ text, format: 'text' }),
  source: {
    model: commentViews,
    textKey: commentsKey(trackerId),
    artifactKey: commentedKey(trackerId),
    presenceKey: commentsKey(trackerId),
    entryOf: { key: ownKey(trackerId, 'aid'), value: (id) => commentedBy(String(id)) },
  },
});

/** The name or the description of one of the files of the field holds it. */
export const fileSearch = (trackerId: number, fieldId: number, text: string): Search => ({
  type: 'search',
  text,
  source: {
    model: fileViews,
    textKey: fileTextKey(fieldId),
    artifactKey: OF_ARTIFACT_KEY,
    presenceKey: fieldKey(trackerId, fieldId),
    entryOf: { key: fieldKey(trackerId, fieldId), value: Number },
  },
});

/** By comparison. `widest`: what the whole query means if each of them holds. */
export async function searchCriteria(
  searches: ReadonlyMap<Comparison, Search>,
  widest: Criterion,
  asked: Asked,
): Promise<ReadonlyMap<Comparison, Criterion>> {
  const known = new Map<Comparison, Criterion>();
  for (const [comparison, search] of searches) {
    const { key, value } = search.source.entryOf;
    const criterion: Criterion = { type: 'any-of', key, values: (await found(search, widest, asked)).map(value) };
    known.set(comparison, comparison.operator === '!=' ? { type: 'not', criterion } : criterion);
    await othersTurn();
  }
  return known;
}

/** What holds the text in the whole tracker; where this is too much, in what else the query finds. */
async function found(search: Search, widest: Criterion, asked: Asked): Promise<readonly Document['id'][]> {
  const { text, source } = search;
  if (text === null) return [];
  const holds: Criterion = { type: 'contains', key: source.textKey, text };
  const all = await upTo(MAX_FOUND, pagesOfIds(source.model, [holds], asked.reading));
  return all ?? (await upTo(MAX_FOUND, ofCandidates(holds, source, widest, asked))) ?? refuse();
}

async function* ofCandidates(
  holds: Criterion,
  { model, artifactKey, presenceKey }: TextSource,
  widest: Criterion,
  asked: Asked,
): AsyncGenerator<readonly Document['id'][]> {
  const hasSome: Criterion = { type: 'not', criterion: { type: 'empty', key: presenceKey } };
  let gone = 0;
  for await (const values of candidates([widest, hasSome], asked)) {
    gone += values.length;
    if (gone > MAX_FOUND) refuse();
    yield* pagesOfIds(model, [{ type: 'any-of', key: artifactKey, values }, holds], asked.reading);
  }
}

/** Null: there are more. */
async function upTo<T>(most: number, pages: AsyncIterable<readonly T[]>): Promise<readonly T[] | null> {
  const all: T[] = [];
  for await (const page of pages) {
    all.push(...page);
    if (all.length > most) return null;
  }
  return all;
}

function refuse(): never {
  const message = `More than ${MAX_FOUND} comments or files hold the text; join the search by AND with conditions that leave fewer artifacts`;
  throw new FaultyQuery([{ message }]);
}
