/**
 * How soon the projections look at what was appended. Where somebody waits for the read models, at once. Where nobody does,
 * at several events together, which takes much less work.
 */
import { type Position } from '../../../core/event-log.js';

/** How many milliseconds may lie between two looks; 0 where somebody waits. The thread that knows who waits shares it with the thread of the projections. */
export type Unhurried = Int32Array;

export interface Pace {
  /** Nobody waits for what was appended last: it may lie for so many milliseconds. False where somebody has waited lately. */
  readonly ease: (pauseMs: number) => boolean;
  /** Somebody waits. */
  readonly hurry: () => void;
}

/** Who has waited so recently may do so again. */
const QUIET_MS = 100;

export const hurried = (): Unhurried => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** `goOn` ends a pause of the other thread. */
export function paceOf(unhurried: Unhurried, goOn: () => void): Pace {
  let awaited = -Infinity;
  return {
    ease: (pauseMs) => {
      if (performance.now() - awaited <= QUIET_MS) return false;
      Atomics.compareExchange(unhurried, 0, 0, pauseMs);
      return true;
    },
    hurry: () => {
      awaited = performance.now();
      if (Atomics.exchange(unhurried, 0, 0) !== 0) goOn();
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
      const pause = published + Atomics.load(unhurried, 0) - performance.now();
      if (pause <= 0) goOn();
      else timer ??= setTimeout(goOn, Math.ceil(pause));
    },
    goOn,
  };
}
