import { type Position } from '../../src/core/event-log.js';
import { type Marks } from '../../src/core/marks.js';
import { type Projection, type Reached, type Generation } from '../../src/core/projection.js';

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
