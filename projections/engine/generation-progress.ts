import { type Position } from '../../src/core/event-log.js';
import { type Marks, type Mark } from '../../src/core/marks.js';
import { type Projection, type Reached, type Generation, type ReadModelStore } from '../../src/core/projection.js';

/** Null is before the first event. */
export const isAfter = (one: Position | null, other: Position | null): boolean =>
  one !== null && (other === null || one > other);

/** A projection of any events. */
export type AnyProjection = Projection<never>;

/** A generation of a projection, and how far it is. */
export interface GenerationProgress extends Reached {
  readonly generation: Generation;
  /** Streams that the generation does not follow any longer. */
  readonly marks: Marks;
}

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
export function marksUpTo(position: Position | null, marks: Iterable<Mark>): Marks {
  const known = [...marks].filter((mark) => position !== null && mark.position <= position);
  return new Map(known.map((mark) => [mark.stream, mark]));
}
