import { type Clock } from '../src/core/clock.js';
import { type Report } from './leased.js';
import { type HeldUp } from './watch.js';

/** A projection as the processes see it that do not run it themselves. */
export interface Remote {
  readonly projection: string;
  /** Changes whenever its worker shows that it still has it; null while nobody has it. */
  readonly sign: string | null;
  /** What the worker last said; null before the first word. */
  readonly report: Report | null;
}

export interface RemoteWatchOptions {
  readonly names: readonly string[];
  /** What is known by now. Undefined while the store that tells it does not answer. */
  readonly look: () => readonly Remote[] | undefined;
  readonly clock: Clock;
  /** A worker shows itself more often than this, in milliseconds. */
  readonly silenceMs: number;
}

export interface RemoteWatch {
  /** To be called again and again: since when something is so can only be told by whoever has looked. */
  readonly look: () => void;
  readonly heldUp: () => readonly HeldUp[];
}

const NOBODY = 'No worker keeps it up to date';
const NO_ANSWER = 'The read models do not answer';

/** Tells by this process's own clock alone which projections do not go on, and since when. */
export function remoteWatch({ names, look, clock, silenceMs }: RemoteWatchOptions): RemoteWatch {
  const silent = silences(clock, silenceMs);
  const troubles = new Map<string, HeldUp>();
  let answered = clock();
  const told = (projection: string, { sign, report }: Remote): void => {
    const earlier = troubles.get(projection)?.since;
    const since = silent(projection, sign);
    if (since !== null) troubles.set(projection, troubled(projection, NOBODY, earlier ?? since));
    else if (report !== null && report.heldUp !== null)
      troubles.set(projection, { ...report.heldUp, since: earlier ?? clock() });
    else troubles.delete(projection);
  };
  const update = (): void => {
    const remotes = look();
    if (remotes !== undefined) answered = clock();
    for (const projection of names) {
      if (remotes === undefined) {
        const since = troubles.get(projection)?.since ?? answered;
        troubles.set(projection, troubled(projection, NO_ANSWER, since));
        continue;
      }
      const remote = remotes.find((one) => one.projection === projection);
      told(projection, remote ?? { projection, sign: null, report: null });
    }
  };
  return {
    look: update,
    heldUp: () => {
      update();
      return [...troubles.values()];
    },
  };
}

function troubled(projection: string, reason: string, since: Date): HeldUp {
  return { projection, state: 'troubled', reason, poison: null, since };
}

/** Since when a projection shows the same sign, once that is too long. */
function silences(clock: Clock, silenceMs: number): (projection: string, sign: string | null) => Date | null {
  const seen = new Map<string, { readonly sign: string | null; readonly since: Date }>();
  const started = clock();
  return (projection, sign) => {
    const known = seen.get(projection);
    const same =
      known?.sign === sign ? known : { sign, since: known === undefined && sign === null ? started : clock() };
    seen.set(projection, same);
    return clock().getTime() - same.since.getTime() > silenceMs ? same.since : null;
  };
}
