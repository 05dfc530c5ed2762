import { type Clock } from '../clock.js';
import { type EventLog } from '../event-log.js';
import { Problem } from '../problem.js';

/** That nothing could be written lately, and why. */
interface RefusedWrites {
  readonly since: Date;
  readonly reason: string;
}

export interface WatchedLog extends EventLog {
  /** Undefined once a write has succeeded again. */
  refusing(): RefusedWrites | undefined;
}

/** The log, and whether its last write was refused: a full disk, a server that cannot be reached. */
export function watchedLog(log: EventLog, clock: Clock): WatchedLog {
  let refused: RefusedWrites | undefined;
  return {
    ...log,
    append: async (...append) => {
      try {
        const appended = await log.append(...append);
        refused = undefined;
        return appended;
      } catch (error) {
        if (error instanceof Problem && error.kind === 'unavailable') {
          refused = { since: refused?.since ?? clock(), reason: error.message };
        }
        throw error;
      }
    },
    refusing: () => refused,
  };
}
