/** Documents by id, and pages of them, from what is served at the moment. */
import { LRUCache } from 'lru-cache';
import { type Db } from 'mongodb';
import {
  notServed,
  type Document,
  type PageSlice,
  type Query,
  type ReadModel,
  type ReadModels,
  type Slice,
} from '../../../core/read-models.js';
import { documentCache, type Parse } from '../../shared/document-cache.js';
import { totalCache } from '../../shared/total-cache.js';
import { projectionDocuments } from '../projection-documents.js';
import { BODIES, collectionName, documentsOf, type Body, type Documents, type LiveRow } from './documents.js';
import { sortable, sorted } from './entries.js';
import { filterOf } from './filter.js';
import { findIds, readAll, readSlice } from './find.js';
import { readPage, type GivenDocuments, type PageSource } from './page.js';
import { isSettled, servedIn, type Served } from './state.js';

/** Rejects if nothing is served, or if the server does not answer. */
export type Read = <T>(model: ReadModel<Document>, work: (now: Served) => Promise<T>) => Promise<T>;

export function documentReader(
  db: Db,
  reading: Read,
): Pick<ReadModels, 'get' | 'getMany' | 'getSlice' | 'find' | 'findSlice' | 'findIds'> {
  const parse = documentCache(BODIES);
  const parsed = <D extends Document>({ name }: ReadModel<D>, rows: readonly LiveRow[]): readonly D[] =>
    rows.map(({ _id, body }) => parse(name, _id, body) as D);
  const documents = ({ name }: ReadModel<Document>, now: Served): Documents => documentsOf(db, name, now.generation);
  const source: PageSource = {
    db,
    look: async (id) => {
      const state = await projectionDocuments(db).findOne(
        { _id: id },
        { projection: { serving: 1, runs: 1, token: 1 } },
      );
      return state && servedIn(state);
    },
    totals: totalCache(),
    given: givenDocuments(db, parse),
  };
  const getMany = <D extends Document>(model: ReadModel<D>, ids: readonly D['id'][]) =>
    reading(model, async (now) => parsed(model, await readAll(documents(model, now), [...new Set(ids.map(sortable))])));
  const find = <D extends Document>(model: ReadModel<D>, query: Query, isSliced: boolean) =>
    reading<PageSlice<D>>(model, async (now) => {
      const page = await readPage(source, now, model.name, query, isSliced);
      if (page === null) throw notServed(model);
      const [beforeLast] = parsed(model, page.beforeLast ? [page.beforeLast] : []);
      return { items: parsed(model, page.rows), rest: page.rest.map(sorted), total: page.total, beforeLast };
    });
  return {
    get: async (model, id) => (await getMany(model, [id]))[0] ?? null,
    getMany,
    getSlice: <D extends Document>(model: ReadModel<D>, ids: readonly D['id'][]) =>
      reading<Slice<D>>(model, async (now) => {
        const { rows, rest } = await readSlice(documents(model, now), ids.map(sortable));
        return { items: parsed(model, rows), rest: ids.slice(ids.length - rest.length) };
      }),
    find: async <D extends Document>(model: ReadModel<D>, query: Query) => {
      const { items, total } = await find(model, query, false);
      return { items, total };
    },
    findSlice: (model, query) => find(model, query, true),
    findIds: (model, query) =>
      reading(model, async (now) => {
        const filter = filterOf(query.where);
        // To the server a limit of 0 is none.
        if (filter === null || query.limit === 0) return [];
        return (await findIds(documents(model, now), filter, query)).map(sorted);
      }),
  };
}

/** More of them are read again. */
const MOST_KEPT = 100;

/** While nothing is written, each is read once. */
function givenDocuments(db: Db, parse: Parse<Body>): GivenDocuments {
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
      const [row] = await readAll(documentsOf(db, name, moment.generation), [sortable(given.id)]);
      return row === undefined ? null : parse(name, row._id, row.body);
    },
    keep: (moment, { given }, document) => {
      if (given !== undefined) kept.set(nameOf(moment, given), { document });
    },
  };
}
