/**
 * One commit: announced, written, counted, then the checkpoint. Whatever cuts it short, the next ones finish it: the
 * documents by their positions, the tallies by what was announced of them.
 */
import { type LRUCache } from 'lru-cache';
import { type Mark } from '../../../core/marks.js';
import { type Change, type Checkpoint, type Reached, type Run } from '../../../core/projection.js';
import { type Begun } from '../projection-documents.js';
import { collectionName, documentsOf } from './documents.js';
import { updateRun, type Fence } from './fenced-updates.js';
import { lastMarked, writeMarks } from './marks.js';
import { addDifferences, createTallies, differencesBetween, ensureTallies, talliesOf } from './tallies.js';
import { byModel, existingVersions, writeModel, type ExistingVersions, type Written } from './write.js';
import { recordOf } from '../../shared/recorded-event.js';

export interface Committing extends Fence {
  /** What was loaded for the commit that is to come, by collection. */
  readonly loaded: Map<string, ExistingVersions>;
  /** Opened here, and not served yet: nobody reads them. */
  readonly filling: Set<string>;
  /** Commits that may be done in part, by run. */
  readonly begun: Map<string, Begun>;
  /** Collections of tallies, and tallies by collection and id, that were seen to be there. */
  readonly created: Pick<LRUCache<string, true>, 'has' | 'set'>;
}

export const nameOf = (projection: string, run: Run): string => `${projection} ${run}`;

/** What is written, and what it replaces. */
interface Replacing extends Written {
  readonly existing: ExistingVersions;
}

export async function commit(
  context: Committing,
  projection: string,
  run: Run,
  changes: readonly Change[],
  reached: Checkpoint,
  marks: readonly Mark[],
): Promise<void> {
  const name = nameOf(projection, run);
  const { position } = reached;
  await writeMarks(context.db, projection, run, marks);
  const written = await replacing(context, run, byModel(changes));
  const begun = context.begun.get(name) ?? (await beginning(context, run, written, reached));
  if (begun === null) return moveCheckpoint(context, projection, run, reached, { isDone: true, marks });
  if (position === null || position > begun.position) throw new Error(`A commit up to ${begun.position} comes before`);

  // From now on it counts as begun: it may have been announced although nobody said so.
  context.begun.set(name, begun);
  if (written.length > 0) await announce(context, projection, run, written, begun);
  const isDone = position === begun.position;
  await both(writeAll(context, run, written), isDone ? count(context, run, begun) : Promise.resolve());
  await moveCheckpoint(context, projection, run, reached, { isDone, marks });
  if (isDone) context.begun.delete(name);
}

/** Nothing goes on once this has failed: what comes next would meet it. */
async function both(...work: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Null where nothing is written. Makes the tallies that there are to be: what is announced then says little of each. */
async function beginning(
  { db, created }: Committing,
  run: Run,
  written: readonly Replacing[],
  reached: Reached,
): Promise<Begun | null> {
  if (written.length === 0) return null;
  const { position } = reached;
  if (position === null) throw new Error('What changes documents has a position');
  const differences: Begun['differences'][number][] = [];
  for (const { model, documents, existing } of written) {
    const before = [...documents.keys()].flatMap((id) => existing.get(id) ?? []);
    const changed = differencesBetween(before, documents.values());
    if (changed.length === 0) continue;
    const tallies = talliesOf(db, model, run);
    if (!created.has(tallies.collectionName)) await createTallies(db, model, run);
    created.set(tallies.collectionName, true);
    await ensureTallies(tallies, changed, created);
    differences.push(...changed.map(({ id, n }) => ({ model, tally: id, n })));
  }
  const event = recordOf(reached);
  return { position, ...(event !== null && { event }), differences };
}

async function replacing(
  { db, loaded }: Committing,
  run: Run,
  written: readonly Written[],
): Promise<readonly Replacing[]> {
  return Promise.all(
    written.map(async (one) => {
      const { model, documents } = one;
      const collection = collectionName(model, run);
      const known = loaded.get(collection);
      loaded.delete(collection);
      const ids = [...documents.keys()];
      const isKnown = known !== undefined && ids.every((id) => known.has(id));
      return { ...one, existing: isKnown ? known : await existingVersions(documentsOf(db, model, run), ids) };
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
  const update = {
    $set: { [`runs.${run}.writing`]: true, [`begun.${run}`]: begun },
    $max: Object.fromEntries(written.map(({ model }) => [`runs.${run}.changed.${model}`, begun.position])),
  };
  await updateRun(context, projection, run, update, { [`runs.${run}.position`]: { $not: { $gte: begun.position } } });
}

/** One after the other, in the order of the models. */
async function writeAll(context: Committing, run: Run, written: readonly Replacing[]): Promise<void> {
  for (const one of written) await writeModel(context, run, one, one.existing);
}

async function count({ db }: Committing, run: Run, { differences, position }: Begun): Promise<void> {
  for (const model of new Set(differences.map((difference) => difference.model))) {
    const own = differences.filter((difference) => difference.model === model);
    await addDifferences(
      talliesOf(db, model, run),
      own.map(({ tally: id, n }) => ({ id, n })),
      position,
    );
  }
}

async function moveCheckpoint(
  context: Committing,
  projection: string,
  run: Run,
  reached: Reached,
  { isDone, marks }: { readonly isDone: boolean; readonly marks: readonly Mark[] },
): Promise<void> {
  const { position } = reached;
  const event = recordOf(reached);
  const recorded = event === null ? {} : { [`runs.${run}.event`]: event };
  const moved =
    position === null ? {} : { $max: { [`runs.${run}.position`]: position, ...recorded, ...lastMarked(run, marks) } };
  if (!isDone) return updateRun(context, projection, run, moved);
  const done = { $set: { [`runs.${run}.writing`]: false }, $unset: { [`begun.${run}`]: true as const } };
  const isLater = position === null ? { $exists: true } : { $gt: position };
  await updateRun(context, projection, run, { ...done, ...moved }, { [`begun.${run}.position`]: { $not: isLater } });
}
