/** Documents by id, and pages of them, from what is served at the moment. */
import { type Collection, type Db } from 'mongodb';
import { type Generation } from '../../../../core/projection.js';
import {
  notServed,
  type Document,
  type Page,
  type PageSlice,
  type PlainQuery,
  type Query,
  type ReadModel,
  type ReadModels,
  type Slice,
} from '../../../../core/read-models.js';
import { projectionDocuments, type StoredProjection } from '../../projection-documents.js';
import { BODIES } from '../bodies.js';
import { documentsOf, rowOf, rowsIn, withIds, type StoredDocument } from '../documents.js';
import { sortable, sorted } from '../entries.js';
import { filterOf } from './filter.js';
import { findIds } from './find.js';
import { givenDocuments } from './given.js';
import { readPage, type PageSource } from './page.js';
import { servedIn, type Served } from '../serving-state.js';
import { readSlice, withBodies, type StoredBody } from './slice.js';
import { documentCache } from '../../../shared/document-cache.js';
import { totalCache } from '../../../shared/total-cache.js';

/** Rejects if nothing is served, or if the server does not answer. */
export type Read = <T>(model: ReadModel<Document>, work: (name: string, now: Served) => Promise<T>) => Promise<T>;

export function documentReader(
  db: Db,
  reading: Read,
): Pick<ReadModels, 'get' | 'getMany' | 'getSlice' | 'find' | 'findSlice' | 'findIds'> {
  const parse = documentCache(BODIES);
  const parsed = <D extends Document>({ name }: ReadModel<D>, rows: readonly StoredBody[]): readonly D[] =>
    rows.map(({ _id, body }) => parse(name, _id, body) as D);
  const documents = (model: string, generation: Generation): Collection<StoredDocument> =>
    documentsOf(db, model, generation);
  const source: PageSource = {
    documents,
    look: (id) => lookAt(projectionDocuments(db), id),
    totals: totalCache(),
    given: givenDocuments(documents, parse),
  };
  return {
    get: <D extends Document>(model: ReadModel<D>, id: D['id']) =>
      reading<D | null>(model, async (name, { generation }) => {
        const row = await rowOf(documents(name, generation), sortable(id));
        return row !== null && 'body' in row ? (parse(name, row._id, row.body) as D) : null;
      }),
    getMany: <D extends Document>(model: ReadModel<D>, ids: readonly D['id'][]) =>
      reading<readonly D[]>(model, async (name, { generation }) => {
        const wanted = [...new Set(ids.map(sortable))];
        if (wanted.length === 0) return [];
        const rows = rowsIn(documents(name, generation), withIds(wanted), { batchSize: wanted.length + 1 });
        return parsed(model, withBodies(await rows.toArray()));
      }),
    getSlice: <D extends Document>(model: ReadModel<D>, ids: readonly D['id'][]) =>
      reading<Slice<D>>(model, async (name, { generation }) => {
        const { rows, rest } = await readSlice(documents(name, generation), ids.map(sortable));
        return { items: parsed(model, rows), rest: ids.slice(ids.length - rest.length) };
      }),
    find: <D extends Document>(model: ReadModel<D>, query: Query) =>
      reading<Page<D>>(model, async (name, now) => {
        const page = await readPage(source, now, name, query);
        if (page === null) throw notServed(model);
        return { items: parsed(model, page.rows), total: page.total };
      }),
    findSlice: <D extends Document>(model: ReadModel<D>, query: Query) =>
      reading<PageSlice<D>>(model, async (name, now) => {
        const page = await readPage(source, now, name, { ...query, sliced: true });
        if (page === null) throw notServed(model);
        return { items: parsed(model, page.rows), rest: page.rest.map(sorted), total: page.total };
      }),
    findIds: (model, query) =>
      reading(model, async (name, { generation }) => (await readIds(documents(name, generation), query)).map(sorted)),
  };
}

async function readIds(collection: Collection<StoredDocument>, query: PlainQuery): Promise<readonly string[]> {
  const filter = filterOf(query.where);
  // To the server a limit of 0 is none.
  return filter === null || query.limit === 0 ? [] : findIds(collection, filter, query);
}

async function lookAt(projections: Collection<StoredProjection>, id: string): Promise<Served | null> {
  const state = await projections.findOne({ _id: id }, { projection: { serving: 1, runs: 1 } });
  return state && servedIn(state);
}
