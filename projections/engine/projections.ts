import { type ProjectionStatus } from './projection-status.js';
import { type RebuildProgress } from './filling/filling.js';
import { type RebuildResult } from './rebuild.js';

/** The projections as a service sees them. They may run in another thread or process. */
export interface Projections {
  readonly names: readonly string[];
  /** Every projection reflects the log as it was at the start, or has stopped. */
  readonly ready: Promise<void>;
  status(): Promise<readonly ProjectionStatus[]>;
  /** All that are rebuilt `together` read the log together. */
  rebuild(
    projection: string,
    onProgress: (progress: RebuildProgress) => void,
    together: readonly string[],
  ): Promise<RebuildResult>;
  /** What is under way is committed first. */
  close(): Promise<void>;
}
