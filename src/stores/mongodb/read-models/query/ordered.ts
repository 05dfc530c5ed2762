import { type Collection } from 'mongodb';
import { type PlainQuery } from '../../../../core/read-models.js';
import { type StoredDocument } from '../documents.js';
import { type DocumentFilter } from './filter.js';
import { findIds } from './find.js';
import { readSlice, type StoredSlice } from './slice.js';

/** In the order of values the server sorts ids alone: bodies are large. */
export async function readOrdered(
  collection: Collection<StoredDocument>,
  filter: DocumentFilter,
  query: PlainQuery & { readonly sliced?: true | undefined },
): Promise<StoredSlice> {
  const ids = await findIds(collection, filter, query);
  const first = await readSlice(collection, ids);
  if (query.sliced === true) return first;
  const rows = [...first.rows];
  for (let { rest } = first; rest.length > 0;) {
    const next = await readSlice(collection, rest);
    rows.push(...next.rows);
    rest = next.rest;
  }
  return { rows, rest: [] };
}
