/** What one command finds, in the order of the ids. */
import { type Collection, type Filter, type FindCursor } from 'mongodb';
import { type PlainQuery } from '../../../../core/read-models.js';
import { rowsIn, type Row, type StoredDocument } from '../documents.js';
import { type DocumentFilter } from './filter.js';

export async function findIds(
  collection: Collection<StoredDocument>,
  filter: Filter<StoredDocument>,
  { direction, limit, offset }: PlainQuery,
): Promise<readonly string[]> {
  const sort = { _id: direction === 'asc' ? 1 : -1 } as const;
  const options = { projection: { _id: 1 }, sort, skip: offset, limit, batchSize: limit + 1 } as const;
  return (await collection.find(filter, options).toArray()).map(({ _id }) => _id);
}

export function findRows(
  collection: Collection<StoredDocument>,
  filter: DocumentFilter,
  { direction, limit, offset }: PlainQuery,
): FindCursor<Row> {
  return rowsIn(collection, asFilter(filter), {
    sort: { _id: direction === 'asc' ? 1 : -1 },
    skip: offset,
    limit,
    // All in one answer.
    batchSize: limit + 1,
  });
}

/** The driver's type knows nothing of lists that stay as they are. */
export function asFilter(filter: DocumentFilter): Filter<StoredDocument> {
  return filter as Filter<StoredDocument>;
}
