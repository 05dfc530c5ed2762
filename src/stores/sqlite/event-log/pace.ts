/**
 * How soon the projections look at what was appended. Where somebody waits for the read models, at once. Where nobody does,
 * at several events together, which takes much less work.
 */
import { type Position } from '../../../core/event-log.js';

/** 1 where nobody waits. The thread that knows who waits shares it with the thread of the projections. */
export type Unhurried = Int32Array;

export interface Pace {
  /**
   * Nobody waits for what was appended last. How many milliseconds it may lie longer: 0 where somebody has waited lately.
   */
  readonly ease: () => number;
  /** Somebody waits. */
  readonly hurry: () => void;
}

/** From one look to the next, where nobody waits. */
const PAUSE_MS = 8;
/** Who has waited so recently may do so again. */
const QUIET_MS = 100;

export const hurried = (): Unhurried => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** `goOn` ends a pause of the other thread. */
export function paceOf(unhurried: Unhurried, goOn: () => void): Pace {
  let awaited = -Infinity;
  return {
    ease: () => {
      if (performance.now() - awaited <= QUIET_MS) return 0;
      Atomics.store(unhurried, 0, 1);
      return PAUSE_MS;
    },
    hurry: () => {
      awaited = performance.now();
      if (Atomics.exchange(unhurried, 0, 0) === 1) goOn();
    },
  };
}

export interface Paced {
  /** The log now ends at this position. */
  readonly told: (end: Position) => void;
  readonly goOn: () => void;
}

/** Publishes the end of the log: once for all that it is told within a pause. */
export function paced(publish: (end: Position) => void, unhurried: Unhurried): Paced {
  let end: Position | null = null;
  let published = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  const goOn = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (end === null) return;
    const reached = end;
    end = null;
    published = performance.now();
    publish(reached);
  };
  return {
    told: (reached) => {
      end = reached;
      const pause = Atomics.load(unhurried, 0) === 1 ? published + PAUSE_MS - performance.now() : 0;
      if (pause <= 0) goOn();
      else timer ??= setTimeout(goOn, Math.ceil(pause));
    },
    goOn,
  };
}
