/** What the thread that serves requests sends to the threads that answer long queries, and gets back. */
import { type PageQuery, type StoredPage } from '../query/page.js';
import { type Value } from '../../../shared/well-formed-text.js';

/** The document that a query takes a part of itself from, as its thread has read it. */
export interface GivenBody {
  readonly model: string;
  readonly id: Value;
  readonly body: string | null;
}

export interface LongQuery {
  readonly model: string;
  readonly query: PageQuery;
  readonly given: GivenBody | undefined;
  /** As how many rows the texts count that it may look through. */
  readonly rowsForTexts: number;
}

export type LongAnswer =
  | { readonly type: 'page'; readonly page: StoredPage }
  /** The document is another one by now: this one. */
  | { readonly type: 'given'; readonly given: GivenBody }
  | { readonly type: 'not-served' }
  | { readonly type: 'failed'; readonly message: string };
