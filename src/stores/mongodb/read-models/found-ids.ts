/** Documents by ids that another command has found: where much is skipped or sorted, because bodies are large. */
import { type PlainQuery } from '../../../core/read-models.js';
import { type DocumentFilter, type Documents, type LiveRow } from './documents.js';
import { findVersions, readAll, readSlice, type StoredSlice } from './find.js';

export interface FoundSlice extends StoredSlice {
  /** See `PageSlice`. */
  readonly beforeLast?: LiveRow | undefined;
  /** A document that was found changed before it was read. */
  readonly isTorn?: boolean;
}

export interface Finding {
  readonly documents: Documents;
  readonly filter: DocumentFilter;
  readonly query: PlainQuery;
  /** The first slice will do. */
  readonly isSliced: boolean;
}

/** In the order of the ids: of each document only what the filter still finds. */
export async function readByIds(
  { documents, filter, isSliced }: Omit<Finding, 'query'>,
  ids: readonly string[],
): Promise<FoundSlice> {
  const slice = isSliced ? await readSlice(documents, ids, filter) : await readAllInOrder(documents, ids, filter);
  return { ...slice, isTorn: slice.rows.length + slice.rest.length < ids.length };
}

async function readAllInOrder(
  documents: Documents,
  ids: readonly string[],
  filter: DocumentFilter,
): Promise<StoredSlice> {
  const rows = new Map((await readAll(documents, ids, filter)).map((row) => [row._id, row]));
  return { rows: ids.flatMap((id) => rows.get(id) ?? []), rest: [] };
}

export async function readOrdered(finding: Finding): Promise<FoundSlice> {
  const { documents, filter, query, isSliced } = finding;
  const found = await findVersions(documents, filter, query);
  const page = await readByIds(finding, [...found.keys()]);
  const isAsFound = (row: LiveRow | undefined): boolean => row !== undefined && row.position === found.get(row._id);
  const isTorn = page.isTorn === true || !page.rows.every(isAsFound);
  const last = isSliced ? [...found.keys()].at(-2) : undefined;
  if (last === undefined) return { ...page, isTorn };
  const known = page.rows.find(({ _id }) => _id === last);
  const [beforeLast] = known === undefined ? await readAll(documents, [last]) : [known];
  return { ...page, beforeLast, isTorn: isTorn || !isAsFound(beforeLast) };
}
