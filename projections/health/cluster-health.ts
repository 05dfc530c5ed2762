import { type Clock } from '../../src/core/clock.js';
import { type Position } from '../../src/core/event-log.js';
import { type Checkpoint, type Generation } from '../../src/core/projection.js';
import { type ProjectionStatus } from '../engine/projection-status.js';
import { reachability, type Reachability } from './reachability.js';
import { type UnhealthyProjection } from './local-health.js';

/** The report of the worker that holds the lease of a projection. */
export interface Report {
  readonly status: ProjectionStatus;
  readonly heldUp: UnhealthyProjection | null;
}

/** A projection as the processes see it that do not run it themselves. */
export interface RemoteProjection {
  readonly projection: string;
  /** Changes whenever its worker shows that it still has it; null while no worker has it. */
  readonly heartbeat: string | null;
  /** Whether some worker has it, and has shown itself lately. */
  readonly isHeld: boolean;
  /** What the worker last said; null before the first word. */
  readonly report: Report | null;
  /** What readers see; null while that is nothing. */
  readonly served: ({ readonly generation: Generation } & Checkpoint) | null;
}

export interface ClusterHealthOptions {
  readonly names: readonly string[];
  /** What is known by now, and since when nothing more is known. */
  readonly look: () => { readonly remotes: readonly RemoteProjection[]; readonly at: Date };
  readonly clock: Clock;
  /** A worker shows itself more often than this, in milliseconds. */
  readonly silenceMs: number;
  /** A store that answers tells more often what is known, in milliseconds. */
  readonly overdueMs: number;
}

export interface ClusterHealth {
  /** Must be called regularly: only regular calls can measure how long a state lasts. */
  readonly look: () => void;
  /** Must be called regularly, too. */
  readonly logEnds: Lag['logEnds'];
  readonly unhealthy: () => readonly UnhealthyProjection[];
  readonly unreachable: Reachability['unreachable'];
}

/** A worker that is well needs less, and one that is busy is not worth a word. */
const LATE_MS = 4000;
const LATE = 'It is behind the log';
const NOBODY = 'No worker keeps it up to date';
const NO_ANSWER = 'The read models do not answer';
/** What it does not reflect is unknown. */
const NO_LOG = 'The log does not answer';

/** Null: it goes on. */
type State = UnhealthyProjection | null;

/** Tells by this process's own clock alone which projections do not go on, and since when. */
export function clusterHealth({ names, look, clock, silenceMs, overdueMs }: ClusterHealthOptions): ClusterHealth {
  const silentSince = missedHeartbeats(clock, silenceMs);
  const lag = lagging(clock);
  const unhealthy = new Map<string, UnhealthyProjection>();
  const { answered, unreachable } = reachability(clock);
  const late = (projection: string, position: Position | null): State => {
    const isLong = (since: Date | null): since is Date =>
      since !== null && clock().getTime() - since.getTime() > LATE_MS;
    const [since, asked] = [lag.since(position), lag.asked()];
    if (isLong(since)) return troubled(projection, LATE, since);
    return isLong(asked) ? troubled(projection, NO_LOG, asked) : null;
  };
  const stateOf = ({ projection, heartbeat, report, served }: RemoteProjection, earlier: Date | undefined): State => {
    const since = silentSince(projection, heartbeat);
    if (since !== null) return troubled(projection, NOBODY, earlier ?? since);
    if (report === null || report.heldUp === null) return late(projection, served?.position ?? null);
    return { ...report.heldUp, since: earlier ?? clock() };
  };
  const stateNow = (projection: string, { remotes, at }: ReturnType<typeof look>): State => {
    const earlier = unhealthy.get(projection)?.since;
    if (clock().getTime() - at.getTime() > overdueMs) return troubled(projection, NO_ANSWER, earlier ?? at);
    const remote = remotes.find((one) => one.projection === projection);
    return stateOf(remote ?? unknownProjection(projection), earlier);
  };
  const update = (): void => {
    const known = look();
    answered('read models', known.at);
    for (const projection of names) {
      const state = stateNow(projection, known);
      if (state === null) unhealthy.delete(projection);
      else unhealthy.set(projection, state);
    }
  };
  return {
    look: update,
    logEnds: (position, asked) => {
      answered('log', asked);
      lag.logEnds(position, asked);
    },
    unhealthy: () => {
      update();
      return [...unhealthy.values()];
    },
    unreachable: () => {
      update();
      return unreachable();
    },
  };
}

export function unknownProjection(projection: string): RemoteProjection {
  return { projection, heartbeat: null, isHeld: false, report: null, served: null };
}

function troubled(projection: string, reason: string, since: Date): UnhealthyProjection {
  return { projection, state: 'troubled', reason, poison: null, since };
}

/** Since when a projection shows the same heartbeat, once that is too long. */
function missedHeartbeats(
  clock: Clock,
  silenceMs: number,
): (projection: string, heartbeat: string | null) => Date | null {
  const seen = new Map<string, { readonly heartbeat: string | null; readonly since: Date }>();
  const started = clock();
  return (projection, heartbeat) => {
    const known = seen.get(projection);
    const same =
      known?.heartbeat === heartbeat
        ? known
        : { heartbeat, since: known === undefined && heartbeat === null ? started : clock() };
    seen.set(projection, same);
    return clock().getTime() - same.since.getTime() > silenceMs ? same.since : null;
  };
}

/** Tells how long a projection has been behind the log, for any reason, by looking at both now and then. */
interface Lag {
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

function lagging(clock: Clock): Lag {
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
