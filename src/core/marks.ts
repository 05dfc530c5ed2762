/** Streams that a read model no longer follows, because it cannot apply one of their events. All others it goes on with. */
import { UPGRADE_RETRY_AFTER, type Position, type Revision, type StreamName } from './event-log.js';
import { Problem } from './problem.js';

/**
 * The first event of a stream that a generation does not reflect, and why; the generation reflects nothing of the
 * stream after it.
 */
export interface Mark {
  readonly stream: StreamName;
  readonly type: string;
  /** Of an event that a newer release wrote; null where something else is the reason. */
  readonly schema: number | null;
  readonly revision: Revision;
  readonly position: Position;
  readonly reason: string;
}

export type Marks = ReadonlyMap<StreamName, Mark>;

export const NO_MARKS: Marks = new Map();

export function markedProblem({ stream, reason }: Mark): Problem {
  return new Problem('unavailable', `${stream} cannot be shown: ${reason}`, { retryAfter: UPGRADE_RETRY_AFTER });
}

/** Throws if the stream is marked: its document is out of date and must not grant access. */
export function refuseMarked(marks: Marks, stream: StreamName): void {
  const mark = marks.get(stream);
  if (mark !== undefined) throw markedProblem(mark);
}
