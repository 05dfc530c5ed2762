/**
 * One commit: announced, written, counted, then the checkpoint. Whatever cuts it short, the next ones finish it: the
 * documents by their positions, the tallies by what was announced of them.
 */
import { type LRUCache } from 'lru-cache';
import { type Mark } from '../../../core/marks.js';
import { type Change, type Checkpoint, type Reached, type Generation } from '../../../core/projection.js';
import { type Begun } from '../projection-documents.js';
import { collectionName, documentsOf } from './documents.js';
import { updateGeneration, type Fence } from './fenced-updates.js';
import { lastMarked, writeMarks } from './marks.js';
import { addDifferences, createTallies, differencesBetween, ensureTallies, talliesOf } from './tallies.js';
import { byModel, existingVersions, writeModel, type ExistingVersions, type Written } from './write.js';
import { recordOf } from '../../shared/recorded-event.js';

export interface Committing extends Fence {
  /** What was loaded for the commit that is to come, by collection. */
  readonly loaded: Map<string, ExistingVersions>;
  /** Opened here, and not served yet: nobody reads them. */
  readonly filling: Set<string>;
  /** Commits that may be done in part, by generation. */
  readonly begun: Map<string, Begun>;
  /** Collections of tallies, and tallies by collection and id, that were seen to be there. */
  readonly created: Pick<LRUCache<string, true>, 'has' | 'set'>;
}

export const nameOf = (projection: string, generation: Generation): string => `${projection} ${generation}`;

/** What is written, and what it replaces. */
interface Replacing extends Written {
  readonly existing: ExistingVersions;
}

export async function commit(
  context: Committing,
  projection: string,
  generation: Generation,
  changes: readonly Change[],
  reached: Checkpoint,
  marks: readonly Mark[],
): Promise<void> {
  const name = nameOf(projection, generation);
  const { position } = reached;
  await writeMarks(context.db, projection, generation, marks);
  const written = await replacing(context, generation, byModel(changes));
  const begun = context.begun.get(name) ?? (await beginning(context, generation, written, reached));
  if (begun === null) return moveCheckpoint(context, projection, generation, reached, { isDone: true, marks });
  if (position === null || position > begun.position) throw new Error(`A commit up to ${begun.position} comes before`);

  // From now on it counts as begun: it may have been announced although nobody said so.
  context.begun.set(name, begun);
  if (written.length > 0) await announce(context, projection, generation, written, begun);
  const isDone = position === begun.position;
  await both(writeAll(context, generation, written), isDone ? count(context, generation, begun) : Promise.resolve());
  await moveCheckpoint(context, projection, generation, reached, { isDone, marks });
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
  generation: Generation,
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
    const tallies = talliesOf(db, model, generation);
    if (!created.has(tallies.collectionName)) await createTallies(db, model, generation);
    created.set(tallies.collectionName, true);
    await ensureTallies(tallies, changed, created);
    differences.push(...changed.map(({ id, n }) => ({ model, tally: id, n })));
  }
  const event = recordOf(reached);
  return { position, ...(event !== null && { event }), differences };
}

async function replacing(
  { db, loaded }: Committing,
  generation: Generation,
  written: readonly Written[],
): Promise<readonly Replacing[]> {
  return Promise.all(
    written.map(async (one) => {
      const { model, documents } = one;
      const collection = collectionName(model, generation);
      const known = loaded.get(collection);
      loaded.delete(collection);
      const ids = [...documents.keys()];
      const isKnown = known !== undefined && ids.every((id) => known.has(id));
      return { ...one, existing: isKnown ? known : await existingVersions(documentsOf(db, model, generation), ids) };
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
  generation: Generation,
  written: readonly Written[],
  begun: Begun,
): Promise<void> {
  if (context.filling.has(nameOf(projection, generation))) return;
  const update = {
    $set: { [`runs.${generation}.writing`]: true, [`begun.${generation}`]: begun },
    $max: Object.fromEntries(written.map(({ model }) => [`runs.${generation}.changed.${model}`, begun.position])),
  };
  await updateGeneration(context, projection, generation, update, {
    [`runs.${generation}.position`]: { $not: { $gte: begun.position } },
  });
}

/** One after the other, in the order of the models. */
async function writeAll(context: Committing, generation: Generation, written: readonly Replacing[]): Promise<void> {
  for (const one of written) await writeModel(context, generation, one, one.existing);
}

async function count({ db }: Committing, generation: Generation, { differences, position }: Begun): Promise<void> {
  for (const model of new Set(differences.map((difference) => difference.model))) {
    const own = differences.filter((difference) => difference.model === model);
    await addDifferences(
      talliesOf(db, model, generation),
      own.map(({ tally: id, n }) => ({ id, n })),
      position,
    );
  }
}

async function moveCheckpoint(
  context: Committing,
  projection: string,
  generation: Generation,
  reached: Reached,
  { isDone, marks }: { readonly isDone: boolean; readonly marks: readonly Mark[] },
): Promise<void> {
  const { position } = reached;
  const event = recordOf(reached);
  const recorded = event === null ? {} : { [`runs.${generation}.event`]: event };
  const moved =
    position === null
      ? {}
      : { $max: { [`runs.${generation}.position`]: position, ...recorded, ...lastMarked(generation, marks) } };
  if (!isDone) return updateGeneration(context, projection, generation, moved);
  const done = { $set: { [`runs.${generation}.writing`]: false }, $unset: { [`begun.${generation}`]: true as const } };
  const isLater = position === null ? { $exists: true } : { $gt: position };
  await updateGeneration(
    context,
    projection,
    generation,
    { ...done, ...moved },
    { [`begun.${generation}.position`]: { $not: isLater } },
  );
}
