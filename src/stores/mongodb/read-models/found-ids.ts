/** Documents by ids that another command has found: where much is skipped or sorted, because bodies are large. */
import { type PlainQuery } from '../../../core/read-models.js';
import { type DocumentFilter, type Documents, type LiveRow } from './documents.js';
import { findVersions, readAll, readSlice, type StoredSlice } from './find.js';

export interface FoundSlice extends StoredSlice {
  /** See `PageSlice`. */
  readonly beforeLast?: LiveRow | undefined;
  /** A document was found and deleted before it was read, or `beforeLast` changed before it was read. */
  readonly isTorn?: boolean;
}

export interface Finding {
  readonly documents: Documents;
  readonly filter: DocumentFilter;
  readonly query: PlainQuery;
  /** The first slice will do. */
  readonly isSliced: boolean;
}

/** In the order of the ids. */
export async function readByIds(
  { documents, isSliced }: Pick<Finding, 'documents' | 'isSliced'>,
  ids: readonly string[],
): Promise<FoundSlice> {
  const slice = isSliced ? await readSlice(documents, ids) : await readAllInOrder(documents, ids);
  return { ...slice, isTorn: slice.rows.length + slice.rest.length < ids.length };
}

async function readAllInOrder(documents: Documents, ids: readonly string[]): Promise<StoredSlice> {
  const rows = new Map((await readAll(documents, ids)).map((row) => [row._id, row]));
  return { rows: ids.flatMap((id) => rows.get(id) ?? []), rest: [] };
}

export async function readOrdered({ documents, filter, query, isSliced }: Finding): Promise<FoundSlice> {
  const found = await findVersions(documents, filter, query);
  const ids = found.map(({ _id }) => _id);
  const page = await readByIds({ documents, isSliced }, ids);
  const version = isSliced ? found.at(-2) : undefined;
  if (version === undefined) return page;
  const known = page.rows.find(({ _id }) => _id === version._id);
  const [beforeLast] = known === undefined ? await readAll(documents, [version._id]) : [known];
  return { ...page, beforeLast, isTorn: page.isTorn === true || beforeLast?.position !== version.position };
}
