import { type Position } from './event-log.js';
import { type Marks } from './marks.js';
import { othersTurn } from './concurrency/others-turn.js';
import { Problem } from './problem.js';

export interface Document {
  readonly id: number | string;
}

/**
 * What `find` can ask of a document: `value` for equality, ranges and, if it is not `unordered`, order; `text` for
 * substrings. Several entries with one key are alternatives (a field with many values). Texts are stored folded.
 */
export type IndexEntry =
  | { readonly key: string; readonly value: number | string; readonly unordered?: true }
  | { readonly key: string; readonly text: string };

/** Names a set of documents. Its shape and its entries belong to the version of the projection that fills it. */
export interface ReadModel<D extends Document> {
  readonly name: string;
  /** Each document is made from one stream, `<category>-<id of the document>`, and is out of date where that is marked. */
  readonly category?: string;
  /** Holds the documents of the streams that were deleted, as they stood at last. */
  readonly gone?: ReadModel<Document>;
  entries?(document: D): readonly IndexEntry[];
}

/** A bound left out is open. */
export interface Range<V extends number | string> {
  readonly type: 'range';
  readonly key: string;
  readonly above?: V;
  readonly from?: V;
  readonly to?: V;
  readonly below?: V;
}

/**
 * A condition on the index entries of a document. Those of a query all have to hold. A store answers 100 of them, nested
 * 20 deep: an operator who lets clients write them keeps to that.
 */
export type Criterion =
  | { readonly type: 'any-of'; readonly key: string; readonly values: readonly (number | string)[] }
  /** Numbers; with a bound that is a text: texts, by their UTF-8, none of them folded. */
  | Range<number>
  | Range<string>
  /** The folded text under the key holds this substring, case folded too. Nothing in it is a wildcard. */
  | { readonly type: 'contains'; readonly key: string; readonly text: string }
  /** There is neither a value nor a text under the key. */
  | { readonly type: 'empty'; readonly key: string }
  /** Of none at all: true. */
  | { readonly type: 'and'; readonly criteria: readonly Criterion[] }
  /** Of none at all: false. */
  | { readonly type: 'or'; readonly criteria: readonly Criterion[] }
  | { readonly type: 'not'; readonly criterion: Criterion };

/** What a query takes from a document. */
interface Taken {
  /** Have to hold, too. */
  readonly where: readonly Criterion[];
  /** How many documents match the whole query; undefined where they have to be counted. */
  readonly total: number | undefined;
}

/** The document of another read model of the same projection, as it is at the moment of the page. */
export interface Given<D extends Document = Document> {
  readonly from: ReadModel<D>;
  readonly id: D['id'];
  /** Pure. Null: there is no such document. A method, so that a query may be given any. */
  take(document: D | null): Taken;
}

export interface OrderKey {
  readonly key: string;
  readonly direction: 'asc' | 'desc';
}

/** Where a document stands in an order: a value for each of its keys, null where there is none. */
export interface Place {
  readonly values: readonly (number | string | null)[];
  readonly id: Document['id'];
}

export interface Query {
  readonly where: readonly Criterion[];
  readonly given?: Given;
  /**
   * A key and value that every matching document has and keeps for life. If a marked document may belong to the scope,
   * the page is refused instead of lacking the document.
   */
  readonly scope?: { readonly key: string; readonly value: number | string };
  /**
   * By the values under these keys, numbers before texts. Of several values the smallest counts where they ascend, the
   * largest where they descend. Documents without any come last, either way. Texts that are no values have no order.
   */
  readonly order?: readonly OrderKey[];
  /** By document id: all of it without an order, else what is alike. */
  readonly direction: 'asc' | 'desc';
  /** The page begins behind this place, whether or not a document is there. The total counts what is before, too. */
  readonly after?: Place;
  readonly limit: number;
  readonly offset: number;
}

/** A query with all that it takes from elsewhere. */
export type PlainQuery = Omit<Query, 'given'> & { readonly total?: number | undefined };

/** `document`: the one that is given. */
export function plainQuery({ given, ...query }: Query, document: Document | null): PlainQuery {
  if (given === undefined) return query;
  const { where, total } = given.take(document);
  return { ...query, where: [...query.where, ...where], total };
}

export interface Page<D> {
  readonly items: readonly D[];
  /** Of all documents that match, exactly, from the same moment as the items. */
  readonly total: number;
}

/** Of documents that are asked for, those that come first: no more than a thread reads in some milliseconds. */
export interface Slice<D extends Document> {
  readonly items: readonly D[];
  /** The ids of those after them, which have not been read. */
  readonly rest: readonly D['id'][];
}

/** Of a page, all of the same moment. */
export interface PageSlice<D extends Document> extends Page<D>, Slice<D> {}

/**
 * Whether who asks may see a document, as it is known. What they may not see is given nevertheless, for them to leave out,
 * and never a reason to refuse an answer.
 */
export type Sees<D extends Document> = (document: D) => boolean;

/**
 * What the GET routes may do. If no generation of a read model is served, every reading throws the Problem of
 * `notServed`: what was never filled must not look empty.
 */
export interface ReadModels {
  get<D extends Document>(model: ReadModel<D>, id: D['id'], sees?: Sees<D>): Promise<D | null>;
  /** Those that exist, in no particular order. */
  getMany<D extends Document>(model: ReadModel<D>, ids: readonly D['id'][], sees?: Sees<D>): Promise<readonly D[]>;
  /** Of the first of these, those that exist, in the order of the ids; see `slicesOf`. */
  getSlice<D extends Document>(model: ReadModel<D>, ids: readonly D['id'][], sees?: Sees<D>): Promise<Slice<D>>;
  find<D extends Document>(model: ReadModel<D>, query: Query, sees?: Sees<D>): Promise<Page<D>>;
  /** The same page, but only the first of its documents. */
  findSlice<D extends Document>(model: ReadModel<D>, query: Query, sees?: Sees<D>): Promise<PageSlice<D>>;
  /** Of the same page the ids alone. Whether a document among them is marked shows when it is read. */
  findIds<D extends Document>(model: ReadModel<D>, query: PlainQuery): Promise<readonly D['id'][]>;
  /**
   * Hands over all documents, then those that change, as they change, until the signal aborts. Resolves after the first
   * hand-over. `documents` of a later hand-over may repeat some; `complete` says that it holds all there are. Null if
   * no generation is served, at first or any longer: the next hand-over is complete.
   */
  subscribe<D extends Document>(
    model: ReadModel<D>,
    receive: (documents: readonly D[] | null, complete: boolean) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * The same for as long as no document that is served changes. Absent where that cannot be told without asking a server.
   */
  state?(): string;
  /** The streams that what is served of a read model no longer follows; as of the last reading, or later. */
  marks(model: string): Marks;
  /** True once what this projection serves, and what follows it, reflects the position; false once it has got no further for as long as patience lasts. */
  caughtUp(projection: string, position: Position, patienceMs?: number): Promise<boolean>;
}

/**
 * Those that exist, in the order of the ids, however much they hold: each slice is read when it is asked for, and other
 * work of the thread comes in between.
 */
export async function* slicesOf<D extends Document>(
  readModels: Pick<ReadModels, 'getSlice'>,
  model: ReadModel<D>,
  ids: readonly D['id'][],
  sees?: Sees<D>,
): AsyncGenerator<readonly D[], void, void> {
  for (let left = ids; left.length > 0;) {
    const { items, rest } = await readModels.getSlice(model, left, sees);
    yield items;
    left = rest;
    if (left.length > 0) await othersTurn();
  }
}

/** A filling may take seconds or hours. */
const RETRY_AFTER = 5;

export function notServed({ name }: Pick<ReadModel<Document>, 'name'>): Problem {
  return new Problem('unavailable', `the read model ${name} has not been filled yet`, { retryAfter: RETRY_AFTER });
}

/** One spelling for comparisons that ignore case: NFC, lower case. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
