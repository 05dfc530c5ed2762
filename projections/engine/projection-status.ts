import { type Position } from '../../src/core/event-log.js';
import { type Mark } from '../../src/core/marks.js';
import { type Progress, type Run } from '../../src/core/projection.js';
import { type Poison } from './apply-batch.js';
import { type AnyProjection, type GenerationProgress } from './generation-progress.js';
import { type Missing } from './held-event.js';
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
  /** Streams that what is served does not follow any longer: the first of them, if they are many. */
  readonly marks: readonly Mark[];
  /** No process runs the projection: what is said of it is what was stored last. */
  readonly isUnattended?: true;
}

/** What a runner tells, as plain data. */
export type Notice =
  | ({ readonly type: 'progress' } & Progress)
  | {
      readonly type: 'stopped';
      readonly projection: string;
      readonly reason: string;
      readonly poison: Poison | null;
      /** Whether readers see a run of it. */
      readonly isServed: boolean;
    }
  /** Readers see nothing of it until it is filled again: the log does not hold what it reflected. */
  | ({ readonly type: 'withdrawn'; readonly projection: string; readonly models: readonly string[] } & Missing)
  | { readonly type: 'marked'; readonly projection: string; readonly reason: string; readonly mark: Mark }
  /** A rebuild has replaced documents that were not what the log makes of them. */
  | { readonly type: 'differed'; readonly projection: string; readonly reason: string }
  | { readonly type: 'troubled'; readonly projection: string; readonly reason: string; readonly retryInMs: number }
  /** Another worker may have the projection now. */
  | { readonly type: 'lost'; readonly projection: string; readonly reason: string };

export interface ProjectorOptions {
  readonly projection: AnyProjection;
  readonly ports: Pick<Surroundings, 'log' | 'eventTypes' | 'store' | 'signal'>;
  /** See the runner's options. */
  readonly isOwnLog: () => Promise<boolean>;
  readonly report: (notice: Notice) => void;
  /** For so long the store may not have the position of events that changed nothing. */
  readonly saveEveryMs: number;
}

/** One projection, kept up to date by itself. */
export interface Projector {
  /** Resolves when the signal has aborted and nothing is under way any more. */
  readonly run: () => Promise<void>;
  readonly rebuild: (onProgress: (progress: RebuildProgress) => void) => Promise<RebuildResult>;
  readonly status: () => ProjectionStatus;
  /** Resolves when the served run reflects the position, or nothing more is to be expected. */
  readonly reached: (position: Position | null) => Promise<void>;
}

export interface ProjectorState {
  /** The served run; null before the first of this version. */
  generation: GenerationProgress | null;
  /** Whether the log was seen to hold the event that the served run stands at. */
  isHeld: boolean;
  /** Whether a batch is being applied. */
  isTaking: boolean;
  stopped: { readonly reason: string; readonly poison: Poison | null } | null;
  trouble: string | null;
  progress: RebuildProgress | null;
  rebuilding: Promise<RebuildResult> | null;
  /** Whether a rebuild, which may have waited before, fills a run. */
  isRefilling: boolean;
  /** Aborts the live updates, so that a rebuild has its turn. */
  pause: AbortController;
  ended: boolean;
}

/** In a status. */
const MOST_MARKS = 100;

export function statusOf({ name, version }: AnyProjection, state: ProjectorState): ProjectionStatus {
  const { generation, stopped, trouble, progress } = state;
  const { run, position } = generation ?? { run: null, position: null };
  const { reason, poison } = stopped ?? { reason: null, poison: null };
  const served = generation === null ? 'filling' : 'live';
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
    marks: [...(generation?.marks.values() ?? [])].slice(0, MOST_MARKS),
  };
}

/** Or nothing more is to be expected. */
export function hasReached({ generation, isHeld, stopped, ended }: ProjectorState, position: Position | null): boolean {
  if (stopped !== null || ended) return true;
  if (generation === null || !isHeld) return false;
  return position === null || (generation.position !== null && generation.position >= position);
}
