import { type Position } from '../src/core/event-log.js';
import { type Progress, type Run } from '../src/core/projection.js';
import { type AnyProjection, type Poison, type Target } from './apply.js';
import { type RebuildProgress, type RebuildResult, type Surroundings } from './rebuild.js';

/** How one projection is doing. */
export interface ProjectionStatus {
  readonly projection: string;
  readonly version: number;
  /** Filling: nothing of this version is served yet. Stopped: see `reason`. */
  readonly state: 'filling' | 'live' | 'stopped';
  readonly run: Run | null;
  readonly position: Position | null;
  /** Why it stopped. A restart or a rebuild tries again. */
  readonly reason: string | null;
  /** The event it stopped at. */
  readonly poison: Poison | null;
  /** What went wrong last with the log or the store, while it is being tried again. */
  readonly trouble: string | null;
  /** Of a run that is being filled. */
  readonly rebuild: RebuildProgress | null;
}

/** What a runner tells, as plain data. */
export type Notice =
  | ({ readonly type: 'progress' } & Progress)
  | { readonly type: 'stopped'; readonly projection: string; readonly reason: string; readonly poison: Poison | null }
  | { readonly type: 'troubled'; readonly projection: string; readonly reason: string; readonly retryInMs: number };

export interface LaneOptions {
  readonly projection: AnyProjection;
  readonly ports: Pick<Surroundings, 'log' | 'store' | 'signal'>;
  readonly report: (notice: Notice) => void;
  /** For so long the store may not have the position of events that changed nothing. */
  readonly saveEveryMs: number;
}

/** One projection, kept up to date by itself. */
export interface Lane {
  /** Resolves when the signal has aborted and nothing is under way any more. */
  readonly run: () => Promise<void>;
  readonly rebuild: (onProgress: (progress: RebuildProgress) => void) => Promise<RebuildResult>;
  readonly status: () => ProjectionStatus;
  /** Resolves when the served run reflects the position, or nothing more is to be expected. */
  readonly reached: (position: Position | null) => Promise<void>;
}

export interface LaneState {
  /** The served run; null before the first of this version. */
  target: Target | null;
  /** Whether a batch is being applied. */
  isTaking: boolean;
  stopped: { readonly reason: string; readonly poison: Poison | null } | null;
  trouble: string | null;
  progress: RebuildProgress | null;
  rebuilding: Promise<RebuildResult> | null;
  /** Aborts the live updates, so that a rebuild has its turn. */
  pause: AbortController;
  ended: boolean;
}

export function statusOf({ name, version }: AnyProjection, state: LaneState): ProjectionStatus {
  const { target, stopped, trouble, progress } = state;
  const { run, position } = target ?? { run: null, position: null };
  const { reason, poison } = stopped ?? { reason: null, poison: null };
  const served = target === null ? 'filling' : 'live';
  return {
    projection: name,
    version,
    state: stopped === null ? served : 'stopped',
    run,
    position,
    reason,
    poison,
    trouble,
    rebuild: progress,
  };
}

/** Or nothing more is to be expected. */
export function hasReached({ target, stopped, ended }: LaneState, position: Position | null): boolean {
  if (stopped !== null || ended) return true;
  if (target === null) return false;
  return position === null || (target.position !== null && target.position >= position);
}
