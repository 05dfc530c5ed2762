/**
 * One commit: announced, written, counted, then the checkpoint. Whatever cuts it short, the next ones finish it: the
 * documents by their positions, the tallies by what was announced of them.
 */
import { type Position } from '../core/event-log.js';
import { type Change, type Checkpoint, type Run } from '../core/projection.js';
import { type Begun } from './mongodb-projections.js';
import { collectionName, documentsOf } from './mongodb-read-documents.js';
import { updateRun, type Holder } from './mongodb-read-held.js';
import { addDifferences, createTallies, differencesBetween, talliesOf } from './mongodb-read-tallies.js';
import { byModel, standingOf, writeModel, type Standing, type Written } from './mongodb-read-write.js';

export interface Committing extends Holder {
  /** What was loaded for the commit that is to come, by collection. */
  readonly loaded: Map<string, Standing>;
  /** Opened here, and not served yet: nobody reads them. */
  readonly filling: Set<string>;
  /** Commits that may be done in part, by run. */
  readonly begun: Map<string, Begun>;
  /** Collections of tallies that were seen to be there. */
  readonly created: Set<string>;
}

export const nameOf = (projection: string, run: Run): string => `${projection} ${run}`;

/** What is written, and what it replaces. */
interface Replacing extends Written {
  readonly standing: Standing;
}

export async function commit(
  context: Committing,
  projection: string,
  run: Run,
  changes: readonly Change[],
  { position }: Checkpoint,
): Promise<void> {
  const name = nameOf(projection, run);
  const written = await replacing(context, run, byModel(changes));
  const begun = context.begun.get(name) ?? beginning(written, position);
  if (begun === null) return moveCheckpoint(context, projection, run, position, { isDone: true });
  if (position === null || position > begun.position) throw new Error(`A commit up to ${begun.position} comes before`);

  // From now on it counts as begun: it may have been announced although nobody said so.
  context.begun.set(name, begun);
  if (written.length > 0) await announce(context, projection, run, written, begun);
  const isDone = position === begun.position;
  await Promise.all([writeAll(context, run, written), isDone ? count(context, run, begun) : undefined]);
  await moveCheckpoint(context, projection, run, position, { isDone });
  if (isDone) context.begun.delete(name);
}

/** Null where nothing is written. */
function beginning(written: readonly Replacing[], position: Position | null): Begun | null {
  if (written.length === 0) return null;
  if (position === null) throw new Error('What changes documents has a position');
  const differences = written.flatMap(({ model, documents, standing }) => {
    const before = [...documents.keys()].flatMap((id) => standing.get(id) ?? []);
    return differencesBetween(before, documents.values()).map((difference) => ({ model, ...difference }));
  });
  return { position, differences };
}

async function replacing(
  { db, loaded }: Committing,
  run: Run,
  written: readonly Written[],
): Promise<readonly Replacing[]> {
  return Promise.all(
    written.map(async ({ model, documents }) => {
      const collection = collectionName(model, run);
      const known = loaded.get(collection);
      loaded.delete(collection);
      const ids = [...documents.keys()];
      const isKnown = known !== undefined && ids.every((id) => known.has(id));
      return { model, documents, standing: isKnown ? known : await standingOf(documentsOf(db, model, run), ids) };
    }),
  );
}

/**
 * Says what is going to change before it does: whoever finishes this commit in another's place need not have seen what
 * was there before, and followers look at what changes nevertheless.
 */
async function announce(
  context: Committing,
  projection: string,
  run: Run,
  written: readonly Written[],
  begun: Begun,
): Promise<void> {
  if (context.filling.has(nameOf(projection, run))) return;
  await updateRun(context, projection, run, {
    $set: { [`runs.${run}.writing`]: true, [`begun.${run}`]: begun },
    $max: Object.fromEntries(written.map(({ model }) => [`runs.${run}.changed.${model}`, begun.position])),
  });
}

/** One after the other, in the order of the models. */
async function writeAll(context: Committing, run: Run, written: readonly Replacing[]): Promise<void> {
  for (const one of written) await writeModel(context, run, one, one.standing);
}

async function count({ db, created }: Committing, run: Run, { differences, position }: Begun): Promise<void> {
  for (const model of new Set(differences.map((difference) => difference.model))) {
    const tallies = talliesOf(db, model, run);
    if (!created.has(tallies.collectionName)) await createTallies(db, model, run);
    created.add(tallies.collectionName);
    const own = differences.filter((difference) => difference.model === model);
    await addDifferences(tallies, own, position);
  }
}

async function moveCheckpoint(
  context: Committing,
  projection: string,
  run: Run,
  position: Position | null,
  { isDone }: { readonly isDone: boolean },
): Promise<void> {
  await updateRun(context, projection, run, {
    ...(isDone ? { $set: { [`runs.${run}.writing`]: false }, $unset: { [`begun.${run}`]: true } } : {}),
    ...(position === null ? {} : { $max: { [`runs.${run}.position`]: position } }),
  });
}
