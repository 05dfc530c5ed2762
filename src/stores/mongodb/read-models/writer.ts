import { type Db } from 'mongodb';
import { enqueue } from '../../../core/concurrency/keyed-queue.js';
import { type Mark } from '../../../core/marks.js';
import {
  type Change,
  type Checkpoint,
  type Generation,
  type ReadModelStore,
  type Stored,
} from '../../../core/projection.js';
import { type Document } from '../../../core/read-models.js';
import { recordOf } from '../../shared/recorded-event.js';
import { projectionDocuments, raise, type Fence } from '../projection-documents.js';
import { type ProjectionIds } from '../projection-ids.js';
import { recentlyAnnounced, type RecentlyAnnounced } from './announced-changes.js';
import { documentIn, documentsOf, isLive, rowsIn, withIds, type Documents } from './documents.js';
import { sortable } from './entries.js';
import {
  discardGeneration,
  openGeneration,
  removeOlderVersions,
  serveGeneration,
  withdrawGeneration,
} from './generations.js';
import { loadMarks, writeMarks } from './marks.js';
import { checkpointIn } from './state.js';
import { documentSlices, verifyGeneration } from './verify.js';
import { type Views } from './views.js';
import { byModel, writeModel } from './write.js';

interface MongoReadModelStoreOptions {
  readonly db: Db;
  readonly ids: ProjectionIds;
  /** By a projection's id: the fencing token of the lease under which this process writes it. */
  readonly tokenOf: (id: string) => number;
  /** Told of older versions that could not be removed, and of views that do not show what is served: both are tried again. */
  readonly onError?: (error: unknown) => void;
  readonly views?: Views;
}

interface Writing extends Fence {
  /** Opened here, and not served yet, so without readers. */
  readonly filling: Set<string>;
  readonly announced: RecentlyAnnounced;
}

const nameOf = (id: string, generation: Generation): string => `${id} ${generation}`;

/** The writing side. What it writes of a projection is refused once another process has got the projection's lease. */
export function mongoReadModelStore(options: MongoReadModelStoreOptions): ReadModelStore {
  const { db, tokenOf, onError = () => undefined, views } = options;
  const { idOf } = options.ids;
  const projections = projectionDocuments(db);
  const writing: Writing = { db, projections, tokenOf, filling: new Set(), announced: recentlyAnnounced() };
  const stateOf = (projection: string) => projections.findOne({ _id: idOf(projection) });
  return {
    serving: async (projection) => (await stateOf(projection))?.serving ?? null,
    checkpoint: async (projection, generation) => {
      const state = await stateOf(projection);
      // Another process may have got so far with it.
      if (state?.serving === generation) writing.filling.delete(nameOf(state._id, generation));
      const known = state?.runs[generation];
      return known === undefined ? null : checkpointIn(known);
    },
    open: async (projection, models, version) => {
      const generation = await openGeneration(writing, idOf(projection), models, version);
      writing.filling.add(nameOf(idOf(projection), generation));
      return generation;
    },
    load: (generation, model, ids) => load(documentsOf(db, model.name, generation), ids),
    commit: (projection, generation, changes, reached, marks = []) => {
      const id = idOf(projection);
      return enqueue(writing, nameOf(id, generation), () => commit(writing, id, generation, changes, reached, marks));
    },
    marks: (projection, generation) => loadMarks(db, idOf(projection), generation),
    documents: (generation, model) => documentSlices(db, generation, model),
    verify: (projection, ...given) => verifyGeneration(db, idOf(projection), ...given),
    serve: async (projection, generation) => {
      const id = idOf(projection);
      const isServed = await serveGeneration(writing, id, generation, async () => {
        writing.filling.delete(nameOf(id, generation));
        await views?.show(id, generation).catch(onError);
      });
      if (isServed) await removeOlderVersions(db, id).catch(onError);
      return isServed;
    },
    withdraw: (projection) => withdrawGeneration(writing, idOf(projection)),
    discard: async (projection, generation, models) => {
      await discardGeneration(writing, idOf(projection), generation, models);
      writing.filling.delete(nameOf(idOf(projection), generation));
    },
  };
}

async function load(
  collection: Documents,
  ids: readonly Document['id'][],
): Promise<ReadonlyMap<Document['id'], Stored>> {
  const wanted = ids.map((id) => ({ id, _id: sortable(id) }));
  const all = withIds(wanted.map(({ _id }) => _id));
  const rows = await rowsIn(collection, all, { batchSize: ids.length + 1 }).toArray();
  const found = new Map(rows.map((row) => [row._id, row]));
  return new Map(
    wanted.flatMap(({ id, _id }) => {
      const row = found.get(_id);
      if (row === undefined) return [];
      return [[id, { document: isLive(row) ? documentIn(row.body) : null, position: row.position }] as const];
    }),
  );
}

/**
 * One commit: announcement, documents, checkpoint. The next commits finish one that was cut short: written documents
 * are at their position already.
 */
async function commit(
  writing: Writing,
  id: string,
  generation: Generation,
  changes: readonly Change[],
  reached: Checkpoint,
  marks: readonly Mark[],
): Promise<void> {
  const { db } = writing;
  await writeMarks(db, id, generation, marks);
  const models = byModel(changes);
  if (models.size > 0) await announce(writing, id, generation, changes, reached);
  // In the order of the models.
  for (const [model, written] of models) await writeModel(documentsOf(db, model, generation), written);
  const { position } = reached;
  if (position === null) return;
  const event = recordOf(reached);
  // By the last mark, readers come to know that there are marks.
  const marked = marks
    .map((mark) => mark.position)
    .toSorted()
    .at(-1);
  await raise(writing, id, generation, {
    position,
    ...(event === null ? {} : { event }),
    ...(marked === undefined ? {} : { marked }),
  });
}

/** Announces a change before it begins. Until the checkpoint follows, readers treat it as partial. */
async function announce(
  writing: Writing,
  id: string,
  generation: Generation,
  changes: readonly Change[],
  { position }: Checkpoint,
): Promise<void> {
  const name = nameOf(id, generation);
  if (writing.filling.has(name)) return;
  if (position === null) throw new Error('What changes documents has a position');
  const changed = Object.fromEntries(changes.map(({ model }) => [`changed.${model.name}`, position]));
  await raise(writing, id, generation, changed, writing.announced.add(name, writing.tokenOf(id), changes));
}
