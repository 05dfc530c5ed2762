import { type Marks } from '../../src/core/marks.js';
import { type Projection, type Reached, type Run } from '../../src/core/projection.js';

/** A projection whatever its events are: the log says which are there. */
export type AnyProjection = Projection<never>;

/** A run of a projection, and how far it is. */
export interface GenerationProgress extends Reached {
  readonly run: Run;
  /** Streams that the run does not follow any longer. */
  readonly marks: Marks;
}
