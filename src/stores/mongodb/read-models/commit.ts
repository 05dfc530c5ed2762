/**
 * One commit: announcement, documents, checkpoint. The next commits finish one that was cut short: written documents
 * are at their position already.
 */
import { type Mark } from '../../../core/marks.js';
import { type Change, type Checkpoint, type Generation } from '../../../core/projection.js';
import { collectionName, documentsOf } from './documents.js';
import { updateGeneration, type Fence } from './fenced-updates.js';
import { lastMarked, writeMarks } from './marks.js';
import { byModel, existingVersions, writeModel, type ExistingVersions, type Written } from './write.js';
import { recordOf } from '../../shared/recorded-event.js';

export interface Committing extends Fence {
  /** What was loaded for the commit that is to come, by collection. */
  readonly loaded: Map<string, ExistingVersions>;
  /** Opened here, and not served yet, so without readers. */
  readonly filling: Set<string>;
}

export const nameOf = (projection: string, generation: Generation): string => `${projection} ${generation}`;

export async function commit(
  context: Committing,
  projection: string,
  generation: Generation,
  changes: readonly Change[],
  reached: Checkpoint,
  marks: readonly Mark[],
): Promise<void> {
  await writeMarks(context.db, projection, generation, marks);
  const written = byModel(changes);
  await announce(context, projection, generation, written, reached);
  // In the order of the models.
  for (const one of written) await writeModel(context, generation, one, await existingOf(context, generation, one));
  await moveCheckpoint(context, projection, generation, reached, marks);
}

async function existingOf(
  { db, loaded }: Committing,
  generation: Generation,
  { model, documents }: Written,
): Promise<ExistingVersions> {
  const collection = collectionName(model, generation);
  const known = loaded.get(collection);
  loaded.delete(collection);
  const ids = [...documents.keys()];
  const isKnown = known !== undefined && ids.every((id) => known.has(id));
  return isKnown ? known : existingVersions(documentsOf(db, model, generation), ids);
}

/** Announces a change before it begins. Until the checkpoint follows, readers treat it as partial. */
async function announce(
  context: Committing,
  projection: string,
  generation: Generation,
  written: readonly Written[],
  { position }: Checkpoint,
): Promise<void> {
  if (written.length === 0 || context.filling.has(nameOf(projection, generation))) return;
  if (position === null) throw new Error('What changes documents has a position');
  const $max = Object.fromEntries(written.map(({ model }) => [`runs.${generation}.changed.${model}`, position]));
  await updateGeneration(context, projection, generation, { $max });
}

async function moveCheckpoint(
  context: Committing,
  projection: string,
  generation: Generation,
  reached: Checkpoint,
  marks: readonly Mark[],
): Promise<void> {
  const { position } = reached;
  if (position === null) return;
  const event = recordOf(reached);
  const recorded = event === null ? {} : { [`runs.${generation}.event`]: event };
  const $max = { [`runs.${generation}.position`]: position, ...recorded, ...lastMarked(generation, marks) };
  await updateGeneration(context, projection, generation, { $max });
}
