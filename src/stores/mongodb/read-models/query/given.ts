/** The documents that queries are given. While nothing is written, each is read once. */
import { LRUCache } from 'lru-cache';
import { type Collection } from 'mongodb';
import { type Generation } from '../../../../core/projection.js';
import { type Document, type Query } from '../../../../core/read-models.js';
import { type Body } from '../bodies.js';
import { collectionName, rowOf, type StoredDocument } from '../documents.js';
import { sortable } from '../entries.js';
import { isSettled, type Served } from '../serving-state.js';
import { type Parse } from '../../../shared/document-cache.js';

export interface GivenDocuments {
  /** As it is now, or was at the moment; null also where the query is given none. */
  read(moment: Served, query: Query): Promise<Document | null>;
  /** The document is the one of this moment. */
  keep(moment: Served, query: Query, document: Document | null): void;
}

/** More of them are read again. */
const MOST_KEPT = 100;

export function givenDocuments(
  documents: (model: string, generation: Generation) => Collection<StoredDocument>,
  parse: Parse<Body>,
): GivenDocuments {
  const kept = new LRUCache<string, { readonly document: Document | null }>({ max: MOST_KEPT });
  const nameOf = ({ generation, position }: Served, { from, id }: NonNullable<Query['given']>): string =>
    JSON.stringify([collectionName(from.name, generation), position, id]);
  return {
    read: async (moment, { given }) => {
      if (given === undefined) return null;
      // What is being written may be seen with what it is by then only.
      const known = isSettled(moment) ? kept.get(nameOf(moment, given)) : undefined;
      if (known !== undefined) return known.document;
      const { name } = given.from;
      const _id = sortable(given.id);
      const row = await rowOf(documents(name, moment.generation), _id);
      return row !== null && 'body' in row ? parse(name, _id, row.body) : null;
    },
    keep: (moment, { given }, document) => {
      if (given !== undefined) kept.set(nameOf(moment, given), { document });
    },
  };
}
