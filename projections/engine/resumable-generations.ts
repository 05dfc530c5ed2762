/** The generation that a projection of this version goes on with, if one is served. */
import { type Position } from '../../src/core/event-log.js';
import { type Mark, type Marks } from '../../src/core/marks.js';
import { type ReadModelStore } from '../../src/core/projection.js';
import { type AnyProjection, type GenerationProgress } from './generation-progress.js';

export async function servedGeneration(
  store: ReadModelStore,
  projection: AnyProjection,
): Promise<GenerationProgress | null> {
  const generation = await store.serving(projection.name);
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
