import { type Db } from 'mongodb';
import { type ReadModelStore, type Generation, type Stored } from '../../../core/projection.js';
import { type Document, type ReadModel } from '../../../core/read-models.js';
import { enqueue } from '../../../core/concurrency/keyed-queue.js';
import { projectionDocuments } from '../projection-documents.js';
import { type ProjectionIds } from '../projection-ids.js';
import { commit, nameOf, type Committing } from './commit.js';
import { documentIn } from './bodies.js';
import { collectionName, documentsOf, rowsIn, withIds } from './documents.js';
import { sortable } from './entries.js';
import { loadMarks } from './marks.js';
import { discardGeneration, openGeneration, serveGeneration, withdrawGeneration } from './generations.js';
import { removeOlderVersions } from './older-versions.js';
import { type StoredVersion } from './write.js';
import { checkpointIn } from './serving-state.js';
import { type Views } from './views.js';
import { documentSlices, verifyGeneration } from './verify.js';

export interface MongoReadModelStoreOptions {
  readonly db: Db;
  readonly ids: ProjectionIds;
  /** By a projection's id: the fencing token of the lease under which this process writes it. */
  readonly tokenOf: (id: string) => number;
  /** Told of older versions that could not be removed, and of views that do not show what is served: both are tried again. */
  readonly onError?: (error: unknown) => void;
  readonly views?: Views;
}

/** The writing side. What it writes of a projection is refused once another process has got the projection's lease. */
export function mongoReadModelStore(options: MongoReadModelStoreOptions): ReadModelStore {
  const { idOf } = options.ids;
  const store = storeByIds(options);
  return {
    ...store,
    serving: (projection) => store.serving(idOf(projection)),
    checkpoint: (projection, generation) => store.checkpoint(idOf(projection), generation),
    open: (projection, ...given) => store.open(idOf(projection), ...given),
    commit: (projection, ...given) => store.commit(idOf(projection), ...given),
    marks: (projection, generation) => store.marks(idOf(projection), generation),
    verify: (projection, ...given) => store.verify(idOf(projection), ...given),
    serve: (projection, generation) => store.serve(idOf(projection), generation),
    withdraw: (projection) => store.withdraw(idOf(projection)),
    discard: (projection, ...given) => store.discard(idOf(projection), ...given),
  };
}

/** By ids instead of names. */
function storeByIds({ db, tokenOf, onError = () => undefined, views }: MongoReadModelStoreOptions): ReadModelStore {
  const projections = projectionDocuments(db);
  const context: Committing = {
    db,
    projections,
    tokenOf,
    loaded: new Map(),
    filling: new Set(),
  };
  return {
    serving: async (id) => (await projections.findOne({ _id: id }))?.serving ?? null,
    checkpoint: async (id, generation) => {
      const state = await projections.findOne({ _id: id });
      // Another process may have got so far with it.
      if (state?.serving === generation) context.filling.delete(nameOf(id, generation));
      const known = state?.runs[generation];
      return known === undefined ? null : checkpointIn(known);
    },
    open: async (id, models, version) => {
      const generation = await openGeneration(context, id, models, version);
      context.filling.add(nameOf(id, generation));
      return generation;
    },
    load: (generation, model, ids) => load(context, generation, model, ids),
    commit: (id, generation, changes, checkpoint, marks = []) =>
      enqueue(context, nameOf(id, generation), () => commit(context, id, generation, changes, checkpoint, marks)),
    marks: (id, generation) => loadMarks(db, id, generation),
    documents: (generation, model) => documentSlices(db, generation, model),
    verify: (...given) => verifyGeneration(context, ...given),
    serve: async (id, generation) => {
      const isServed = await serveGeneration(context, id, generation, async () => {
        context.filling.delete(nameOf(id, generation));
        await views?.show(id, generation).catch(onError);
      });
      if (isServed) await removeOlderVersions(db, id).catch(onError);
      return isServed;
    },
    withdraw: (id) => withdrawGeneration(context, id),
    discard: async (id, generation, models) => {
      await discardGeneration(context, id, generation, models);
      context.filling.delete(nameOf(id, generation));
    },
  };
}

async function load(
  { db, loaded }: Committing,
  generation: Generation,
  model: ReadModel<Document>,
  ids: readonly Document['id'][],
): Promise<ReadonlyMap<Document['id'], Stored>> {
  const wanted = ids.map((id) => ({ id, _id: sortable(id) }));
  const all = withIds(wanted.map(({ _id }) => _id));
  const rows = await rowsIn(documentsOf(db, model.name, generation), all, { batchSize: ids.length + 1 }).toArray();
  const found = new Map(rows.map((row) => [row._id, row]));
  const existing = wanted.map(({ _id }): [string, StoredVersion | null] => [_id, found.get(_id) ?? null]);
  loaded.set(collectionName(model.name, generation), new Map(existing));
  return new Map(
    wanted.flatMap(({ id, _id }) => {
      const row = found.get(_id);
      if (row === undefined) return [];
      const document = 'body' in row ? documentIn(row.body) : null;
      return [[id, { document, position: row.position }] as const];
    }),
  );
}
