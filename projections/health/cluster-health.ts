import { type Clock } from '../../src/core/clock.js';
import { type Position } from '../../src/core/event-log.js';
import { type Checkpoint, type Generation } from '../../src/core/projection.js';
import { lagging, type Lag } from './lag.js';
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
  const told = (projection: string, { remotes, at }: ReturnType<typeof look>): State => {
    const earlier = unhealthy.get(projection)?.since;
    if (clock().getTime() - at.getTime() > overdueMs) return troubled(projection, NO_ANSWER, earlier ?? at);
    const remote = remotes.find((one) => one.projection === projection);
    return stateOf(remote ?? unknownProjection(projection), earlier);
  };
  const update = (): void => {
    const known = look();
    answered('read models', known.at);
    for (const projection of names) {
      const state = told(projection, known);
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
