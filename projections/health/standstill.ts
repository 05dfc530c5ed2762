import { type Clock } from '../../src/core/clock.js';
import { type Position } from '../../src/core/event-log.js';

interface StandstillOptions {
  readonly names: readonly string[];
  readonly end: () => Promise<Position | null>;
  /** Whether readers see this position. One that serves nothing is not behind. */
  readonly isShown: (projection: string, position: Position) => Promise<boolean>;
  readonly clock: Clock;
  readonly onStandstill: (projection: string, since: Date) => void;
}

export interface Standstill {
  readonly progressed: (projection: string) => void;
  /** Must be called regularly. */
  readonly look: () => Promise<void>;
}

/** A projection that takes longer for a batch is not worth a word. */
const LATE_MS = 4000;

/** Finds projections behind the log that make no progress and report no trouble, as on a file system that blocks. */
export function standstill({ names, end, isShown, clock, onStandstill }: StandstillOptions): Standstill {
  const standing = new Map<string, Date>();
  return {
    progressed: (projection) => void standing.delete(projection),
    look: async () => {
      const position = await end();
      for (const projection of names) {
        if (position === null || (await isShown(projection, position))) {
          standing.delete(projection);
          continue;
        }
        const since = standing.get(projection) ?? clock();
        standing.set(projection, since);
        if (clock().getTime() - since.getTime() > LATE_MS) onStandstill(projection, since);
      }
    },
  };
}
