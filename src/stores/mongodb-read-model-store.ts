import { type Db } from 'mongodb';
import { type Position } from '../core/event-log.js';
import { type Change, type Checkpoint, type ReadModelStore, type Run, type Stored } from '../core/projection.js';
import { type Document, type ReadModel } from '../core/read-models.js';
import { inTurn } from '../core/turns.js';
import { projectionDocuments } from './mongodb-projections.js';
import { byModel, writeModel, type Standing } from './mongodb-read-commit.js';
import { collectionName, documentsOf, withIds } from './mongodb-read-documents.js';
import { sortable } from './mongodb-read-entries.js';
import { updateRun, type Holder } from './mongodb-read-held.js';
import { discardRun, openRun, serveRun } from './mongodb-read-runs.js';
import { verifyRun } from './mongodb-read-verify.js';

export interface MongoReadModelStoreOptions {
  readonly db: Db;
  /** The fencing token of the lease under which this process writes a projection. */
  readonly tokenOf: (projection: string) => number;
}

interface Context extends Holder {
  /** What was loaded for the commit that is to come, by collection. */
  readonly loaded: Map<string, Standing>;
  /** Opened here, and not served yet: nobody reads them. */
  readonly filling: Set<string>;
}

/** The writing side. What it writes of a projection is refused once somebody else has got the projection's lease. */
export function mongoReadModelStore({ db, tokenOf }: MongoReadModelStoreOptions): ReadModelStore {
  const projections = projectionDocuments(db);
  const context: Context = { db, projections, tokenOf, loaded: new Map(), filling: new Set() };
  return {
    serving: async (projection) => (await projections.findOne({ _id: projection }))?.serving ?? null,
    checkpoint: async (projection, run) => {
      const state = (await projections.findOne({ _id: projection }))?.runs[run];
      return state === undefined ? null : { version: state.version, position: state.position };
    },
    open: async (projection, models, version) => {
      const run = await openRun(context, projection, models, version);
      context.filling.add(nameOf(projection, run));
      return run;
    },
    load: (run, model, ids) => load(context, run, model, ids),
    // One that only moves the checkpoint must not say that another is done.
    commit: (projection, run, changes, checkpoint) =>
      inTurn(context, `${projection}-${run}`, () => commit(context, projection, run, changes, checkpoint)),
    verify: (projection, run, models) => verifyRun(context, projection, run, models),
    serve: async (projection, run) => {
      const isServed = await serveRun(context, projection, run);
      if (isServed) context.filling.delete(nameOf(projection, run));
      return isServed;
    },
    discard: async (projection, run, models) => {
      await discardRun(context, projection, run, models);
      context.filling.delete(nameOf(projection, run));
    },
  };
}

const nameOf = (projection: string, run: Run): string => `${projection} ${run}`;

async function load(
  { db, loaded }: Context,
  run: Run,
  model: ReadModel<Document>,
  ids: readonly Document['id'][],
): Promise<ReadonlyMap<Document['id'], Stored>> {
  const wanted = ids.map((id) => ({ id, _id: sortable(id) }));
  const rows = await documentsOf(db, model.name, run)
    .find(withIds(wanted.map(({ _id }) => _id)), { projection: { body: 1, position: 1 }, batchSize: ids.length + 1 })
    .toArray();
  const found = new Map(rows.map((row) => [row._id, row]));
  loaded.set(
    collectionName(model.name, run),
    new Map(wanted.map(({ _id }) => [_id, found.get(_id)?.position ?? null])),
  );
  return new Map(
    wanted.flatMap(({ id, _id }) => {
      const row = found.get(_id);
      if (row === undefined) return [];
      const document = 'body' in row ? (JSON.parse(row.body) as Document) : null;
      return [[id, { document, position: row.position }] as const];
    }),
  );
}

async function commit(
  context: Context,
  projection: string,
  run: Run,
  changes: readonly Change[],
  checkpoint: Checkpoint,
): Promise<void> {
  const models = byModel(changes);
  const { position } = checkpoint;
  if (models.length > 0 && !context.filling.has(nameOf(projection, run))) {
    const names = models.map(({ model }) => model);
    await updateRun(context, projection, run, beginning(run, names, position));
  }
  for (const written of models) {
    const collection = collectionName(written.model, run);
    const standing = context.loaded.get(collection);
    context.loaded.delete(collection);
    await writeModel(context, run, written, standing);
  }
  await updateRun(context, projection, run, {
    $set: { [`runs.${run}.writing`]: false },
    ...(position === null ? {} : { $max: { [`runs.${run}.position`]: position } }),
  });
}

/**
 * Says what is going to change before it does: whoever finishes this commit in another's place need not know of it, and
 * followers look at it nevertheless.
 */
function beginning(
  run: Run,
  models: readonly string[],
  position: Position | null,
): { readonly $set: Record<string, true>; readonly $max?: Record<string, Position> } {
  const $set = { [`runs.${run}.writing`]: true as const };
  if (position === null) return { $set };
  return { $set, $max: Object.fromEntries(models.map((model) => [`runs.${run}.changed.${model}`, position])) };
}
