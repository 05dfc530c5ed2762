import { type Clock } from '../../src/core/clock.js';
import { type Position } from '../../src/core/event-log.js';

/** Tells how long a projection has been behind the log, for any reason, by looking at both now and then. */
export interface Lag {
  /** Where the log ended when it was asked. */
  readonly logEnds: (position: Position | null, asked: Date) => void;
  /** When it was asked last, of the times that it answered; before the first, since when there was a chance to ask. */
  readonly asked: () => Date;
  /** Since when, at most, the first event that a position does not reflect has been in the log; null when it is as far. */
  readonly since: (position: Position | null) => Date | null;
}

interface End {
  readonly position: Position;
  /** Of the look before, which still found it elsewhere. */
  readonly since: Date;
}

/** A larger lag is reported as this one. */
const MOST_ENDS = 100;

export function lagging(clock: Clock): Lag {
  const ends: End[] = [];
  let looked = clock();
  return {
    logEnds: (position, asked) => {
      if (position !== null && position !== ends.at(-1)?.position) ends.push({ position, since: looked });
      if (ends.length > MOST_ENDS) ends.shift();
      looked = asked;
    },
    asked: () => looked,
    since: (reached) => ends.find(({ position }) => reached === null || reached < position)?.since ?? null,
  };
}
