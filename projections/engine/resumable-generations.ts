/** Generations that are there already and that a projection can go on with: those of its version. */
import { type EventReader, type Position } from '../../src/core/event-log.js';
import { type Mark, type Marks } from '../../src/core/marks.js';
import { type ReadModelStore, type Generation } from '../../src/core/projection.js';
import { type AnyProjection, type GenerationProgress } from './generation-progress.js';
import { heldEvent, NotHeld } from './held-event.js';

export async function servedGeneration(
  store: ReadModelStore,
  projection: AnyProjection,
): Promise<GenerationProgress | null> {
  return progressOf(store, projection, await store.serving(projection.name));
}

/** What was served before, where a release has been rolled back. Null if the log does not hold what it reflects. */
export async function keptGeneration(
  store: ReadModelStore,
  projection: AnyProjection,
  log: Pick<EventReader, 'eventAt'>,
): Promise<GenerationProgress | null> {
  const kept = await progressOf(store, projection, await store.previous(projection.name));
  if (kept === null) return null;
  try {
    await heldEvent(log, projection.name, kept);
    return kept;
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error;
    return null;
  }
}

async function progressOf(
  store: ReadModelStore,
  projection: AnyProjection,
  generation: Generation | null,
): Promise<GenerationProgress | null> {
  if (generation === null) return null;
  const checkpoint = await store.checkpoint(projection.name, generation);
  if (checkpoint?.version !== projection.version) return null;
  const { position, event } = checkpoint;
  const marks = await store.marks(projection.name, generation);
  return { generation, position, event, marks: marksUpTo(position, marks) };
}

/** Those of a commit that was not finished are made again. */
function marksUpTo(position: Position | null, marks: readonly Mark[]): Marks {
  const known = marks.filter((mark) => position !== null && mark.position <= position);
  return new Map(known.map((mark) => [mark.stream, mark]));
}
