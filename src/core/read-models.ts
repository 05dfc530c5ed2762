import { type Position } from './event-log.js';
import { type Marks } from './marks.js';
import { othersTurn } from './concurrency/others-turn.js';
import { Problem } from './problem.js';

type Id = number | string;

export interface Document {
  readonly id: Id;
}

/**
 * A key of a document for `find`: `value` for equality, ranges of numbers and, if it is not `unordered`, order; `text`
 * for substrings. Several entries with one key are alternatives (a field with many values). Texts are stored folded.
 */
export type IndexEntry =
  | { readonly key: string; readonly value: number | string; readonly unordered?: true }
  | { readonly key: string; readonly text: string };

/** Names a set of documents. Its shape and its entries belong to the version of the projection that fills it. */
export interface ReadModel<D extends Document> {
  readonly name: string;
  /**
   * Each document is made from the stream `<category>-<id of the document>`. If that is marked, the document is out of
   * date.
   */
  readonly category?: string;
  /** Holds the last documents of deleted streams. */
  readonly gone?: ReadModel<Document>;
  /** Its documents have stamps. `references`: the key of entries that name other documents of it. */
  readonly stamped?: { readonly references?: string };
  entries?(document: D): readonly IndexEntry[];
}

/** Of numbers. A missing bound is open. */
export interface Range {
  readonly type: 'range';
  readonly key: string;
  readonly above?: number;
  readonly from?: number;
  readonly to?: number;
  readonly below?: number;
}

/** A condition on the index entries of a document. A store answers 100 of them, nested 20 deep; callers bound those of clients. */
export type Criterion =
  | { readonly type: 'any-of'; readonly key: string; readonly values: readonly (number | string)[] }
  | Range
  /** The folded text under the key contains this substring, folded too. No character is a wildcard. */
  | { readonly type: 'contains'; readonly key: string; readonly text: string }
  /** There is neither a value nor a text under the key. */
  | { readonly type: 'empty'; readonly key: string }
  /** True without criteria; `or` is false then. */
  | { readonly type: 'and'; readonly criteria: readonly Criterion[] }
  | { readonly type: 'or'; readonly criteria: readonly Criterion[] }
  | { readonly type: 'not'; readonly criterion: Criterion };

/** The part of a query that comes from a document. */
interface Taken {
  /** Further conditions. */
  readonly where: readonly Criterion[];
  /** The number of matches of the whole query; undefined if the store must count them. */
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

/** The place of a document in an order: a value for each key, or null without one. */
export interface StartKey {
  readonly values: readonly (number | string | null)[];
  readonly id: Document['id'];
}

export interface Query {
  /** All of them must hold. */
  readonly where: readonly Criterion[];
  readonly given?: Given;
  /**
   * A key and value that every matching document has and keeps for life. If a marked document may belong to the scope,
   * the page is refused instead of lacking the document.
   */
  readonly scope?: { readonly key: string; readonly value: number | string };
  /**
   * By the values under these keys, numbers before texts. Of several values, the smallest counts ascending, the largest
   * descending. Documents without a value come last in both directions. Texts without a value have no order.
   */
  readonly order?: readonly OrderKey[];
  /** By document id. With an order, only among equal documents. */
  readonly direction: 'asc' | 'desc';
  /** The page begins behind this place, whether or not a document is there. The total counts what is before, too. */
  readonly after?: StartKey;
  readonly limit: number;
  readonly offset: number;
}

/** A query that includes the part of the given document. */
export type PlainQuery = Omit<Query, 'given'> & { readonly total?: number | undefined };

/** `document`: the one that is given. */
export function plainQuery({ given, ...query }: Query, document: Document | null): PlainQuery {
  if (given === undefined) return query;
  const { where, total } = given.take(document);
  return { ...query, where: [...query.where, ...where], total };
}

export interface Page<D> {
  readonly items: readonly D[];
  /** The exact number of matches, at the moment of the items. */
  readonly total: number;
}

/** The first of the requested documents: as many as a thread reads in some milliseconds. */
export interface Slice<D extends Document> {
  readonly items: readonly D[];
  /** The ids of the other documents, which have not been read. */
  readonly rest: readonly D['id'][];
}

/** The first slice of a page. Items, total and ids are of one moment. */
export interface PageSlice<D extends Document> extends Page<D>, Slice<D> {
  /** With an order: the last document but one, of that moment too. A page that asks for one more goes on behind it. */
  readonly beforeLast?: D | undefined;
}

/**
 * Whether the reader may see a document, as last known. Hidden documents are returned nevertheless, and the caller
 * leaves them out. A hidden document never causes a refusal.
 */
export type Sees<D extends Document> = (document: D) => boolean;

/** For GET routes. Reading throws the Problem of `notServed` while no generation is served: it may not look empty. */
export interface ReadModels {
  get<D extends Document>(model: ReadModel<D>, id: D['id'], sees?: Sees<D>): Promise<D | null>;
  /** The existing documents of these ids, in no particular order. */
  getMany<D extends Document>(model: ReadModel<D>, ids: readonly D['id'][], sees?: Sees<D>): Promise<readonly D[]>;
  /** The existing documents of the first ids, in the order of the ids; see `slicesOf`. */
  getSlice<D extends Document>(model: ReadModel<D>, ids: readonly D['id'][], sees?: Sees<D>): Promise<Slice<D>>;
  find<D extends Document>(model: ReadModel<D>, query: Query, sees?: Sees<D>): Promise<Page<D>>;
  /** The same page, but only the first of its documents. */
  findSlice<D extends Document>(model: ReadModel<D>, query: Query, sees?: Sees<D>): Promise<PageSlice<D>>;
  /** Only the ids of the page. Marked documents show when they are read. */
  findIds<D extends Document>(model: ReadModel<D>, query: PlainQuery): Promise<readonly D['id'][]>;
  /**
   * Calls `receive` with all documents, then with changed ones, until the signal aborts. Resolves after the first call.
   * `documents` of a later hand-over may repeat some; with `complete` it holds all documents. Null if no
   * generation is served, at first or any longer: the next hand-over is complete.
   */
  subscribe<D extends Document>(
    model: ReadModel<D>,
    receive: (documents: readonly D[] | null, complete: boolean) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** A text that stays the same until a served document or a mark changes. Undefined while some may be changing. */
  state(): string | undefined;
  /** Resolves once `state` is that of the call, or a later one. Absent where it always is. */
  refreshState?(): Promise<void>;
  /** The same until one of these documents, a document that refers to `referredTo`, or a mark changes. Undefined if unknown. */
  stamp(model: ReadModel<Document>, ids: readonly Id[], referredTo?: Id): Promise<string | undefined>;
  /** The marked streams of the serving generation, as of the last reading or later. */
  marks(model: string): Marks;
  /** True once the projection and each process's subscribers reflect the position; false if that takes too long. */
  caughtUp(projection: string, position: Position, patienceMs?: number): Promise<boolean>;
}

/** The existing documents in the order of the ids. Each slice is read on demand, until `gone` aborts. Other work runs in between. */
export async function* slicesOf<D extends Document>(
  readModels: Pick<ReadModels, 'getSlice'>,
  model: ReadModel<D>,
  ids: readonly D['id'][],
  sees?: Sees<D>,
  gone?: AbortSignal,
): AsyncGenerator<readonly D[], void, void> {
  for (let left = ids; left.length > 0;) {
    gone?.throwIfAborted();
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
