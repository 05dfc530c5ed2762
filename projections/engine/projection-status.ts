/** How one projection is doing, and how that changes. */
import { type Position } from '../../src/core/event-log.js';
import { NO_MARKS, type Mark } from '../../src/core/marks.js';
import { type Generation } from '../../src/core/projection.js';
import { type Poison } from './apply-batch.js';
import { type AnyProjection, type GenerationProgress } from './generation-progress.js';
import { type RebuildProgress } from './filling/filling.js';

/** Why a projection stopped. A restart or a rebuild tries again. */
interface Stop {
  readonly reason: string;
  /** The event it stopped at. */
  readonly poison: Poison | null;
}

interface Common {
  readonly projection: string;
  readonly version: number;
  /** What went wrong last with the log or the store, while it is being tried again. */
  readonly trouble: string | null;
  /** No process runs the projection: what is said of it is what was stored last. */
  readonly isUnattended?: true;
}

/** Nothing of this version is served yet. Of an earlier version something may be, as other processes see it. */
type Filling = Readonly<{
  state: 'filling';
  served: GenerationProgress | null;
  rebuild: RebuildProgress | null;
  stop: null;
}>;
type Live = Readonly<{ state: 'live'; served: GenerationProgress; rebuild: null; stop: null }>;
/** It does not follow the log any longer. Something may be served nevertheless. */
type Stopped = Readonly<{ state: 'stopped'; served: GenerationProgress | null; rebuild: null; stop: Stop }>;
/** It is filled anew beside what it is otherwise. */
type Rebuilding<Otherwise> = Omit<Otherwise, 'state' | 'rebuild'> &
  Readonly<{ state: 'rebuilding'; rebuild: RebuildProgress }>;

/** Plain data, which threads may hand to each other. */
export type ProjectionStatus = Common & (Filling | Live | Rebuilding<Live> | Rebuilding<Stopped> | Stopped);

/** What its worker publishes. */
type Published =
  /** Readers see this generation from now on. */
  | { readonly type: 'served'; readonly progress: GenerationProgress }
  /** The generation that is served went on. */
  | { readonly type: 'progressed'; readonly progress: GenerationProgress }
  /** A new generation is being filled; null: there is nothing of it yet. */
  | { readonly type: 'filling'; readonly progress: RebuildProgress | null }
  /** It is filled no longer; unless it was served, it is gone. */
  | { readonly type: 'filled' }
  | ({ readonly type: 'stopped' } & Stop)
  | { readonly type: 'troubled'; readonly reason: string }
  /** Readers see nothing of it any longer. */
  | { readonly type: 'withdrawn' };

/** What processes find that do not run it. */
type Found =
  /** The store serves this, even if its worker has reported another. */
  | { readonly type: 'seen'; readonly reached: Omit<GenerationProgress, 'marks'> }
  /** No process runs it any longer. */
  | { readonly type: 'unattended'; readonly reason: string };

/** What changes a status. */
export type Happening = Published | Found;

export function initialStatus({ name, version }: Pick<AnyProjection, 'name' | 'version'>): ProjectionStatus {
  return { projection: name, version, state: 'filling', served: null, rebuild: null, stop: null, trouble: null };
}

export function transition(status: ProjectionStatus, happening: Happening): ProjectionStatus {
  if (happening.type === 'unattended') return { ...status, trouble: happening.reason, isUnattended: true };
  if (happening.type !== 'seen') return applied(status, happening);
  return { ...status, served: { marks: NO_MARKS, ...status.served, ...happening.reached } };
}

function applied(status: ProjectionStatus, happening: Published): ProjectionStatus {
  switch (happening.type) {
    case 'served':
      return { ...status, state: 'live', served: happening.progress, rebuild: null, stop: null, trouble: null };
    case 'progressed':
      return progressed(status, happening.progress);
    case 'filling':
      return filling(status, happening.progress);
    case 'filled':
      return filled(status);
    case 'stopped':
      return stopped(status, { reason: happening.reason, poison: happening.poison });
    case 'troubled':
      return { ...status, trouble: happening.reason };
    case 'withdrawn':
      return withdrawn(status);
  }
}

function progressed(status: ProjectionStatus, progress: GenerationProgress): ProjectionStatus {
  return status.served === null ? status : { ...status, served: progress, trouble: null };
}

function filling(status: ProjectionStatus, progress: RebuildProgress | null): ProjectionStatus {
  const rebuild = progress ?? { projection: status.projection, ...NOTHING_YET };
  return status.state === 'filling' ? { ...status, rebuild } : { ...status, state: 'rebuilding', rebuild };
}

const NOTHING_YET = { events: 0, eventsPerSecond: 0, share: 0, secondsLeft: null, position: null, end: null };

function filled(status: ProjectionStatus): ProjectionStatus {
  if (status.state === 'filling') return { ...status, rebuild: null };
  if (status.stop === null) return { ...status, state: 'live', rebuild: null };
  return { ...status, state: 'stopped', rebuild: null };
}

function stopped(status: ProjectionStatus, stop: Stop): ProjectionStatus {
  return status.state === 'rebuilding' ? { ...status, stop } : { ...status, state: 'stopped', rebuild: null, stop };
}

/** It is filled from what the log holds now. It stops again if it meets the event again that it had stopped at. */
function withdrawn(status: ProjectionStatus): ProjectionStatus {
  return { ...status, state: 'filling', served: null, stop: null };
}

/** What MongoDB keeps of a status, and what commands are sent. Earlier releases read and write it, too. */
export interface StoredStatus {
  readonly projection: string;
  readonly version: number;
  readonly state: ReturnType<typeof stateApartFromRebuild>;
  readonly run: Generation | null;
  readonly position: Position | null;
  readonly reason: string | null;
  readonly poison: Poison | null;
  readonly trouble: string | null;
  readonly rebuild: RebuildProgress | null;
  /** The first of them, if they are many. Left out by releases that knew of none. */
  readonly marks?: readonly Mark[];
  readonly isUnattended?: true;
}

const MOST_MARKS = 100;

/** With the first marks, if they are many: threads clone it. */
export function withFirstMarks(status: ProjectionStatus): ProjectionStatus {
  const { served } = status;
  if (served === null || served.marks.size <= MOST_MARKS) return status;
  return { ...status, served: { ...served, marks: new Map([...served.marks].slice(0, MOST_MARKS)) } };
}

export const UNSERVED = { generation: null, position: null, marks: NO_MARKS };

export function storedStatus(status: ProjectionStatus): StoredStatus {
  const { served, stop, rebuild, ...common } = withFirstMarks(status);
  const { generation, position, marks } = served ?? UNSERVED;
  const { reason, poison } = stop ?? { reason: null, poison: null };
  const state = stateApartFromRebuild(status);
  return {
    ...common,
    state,
    run: generation,
    position,
    reason,
    poison,
    rebuild,
    marks: [...marks.values()],
  };
}

/** What a projection that is rebuilt is beside that. */
export function stateApartFromRebuild({ state, stop }: ProjectionStatus): 'filling' | 'live' | 'stopped' {
  if (state !== 'rebuilding') return state;
  return stop === null ? 'live' : 'stopped';
}

export function statusIn({ rebuild, ...stored }: StoredStatus): ProjectionStatus {
  const status = statusApartFromRebuild(stored);
  return rebuild === null ? status : transition(status, { type: 'filling', progress: rebuild });
}

function statusApartFromRebuild(stored: Omit<StoredStatus, 'rebuild'>): ProjectionStatus {
  const { state, run: generation, position, reason, poison, marks = [], ...rest } = stored;
  const common = { ...rest, rebuild: null };
  const marked = new Map(marks.map((mark) => [mark.stream, mark]));
  const served = generation === null ? null : { generation, position, event: null, marks: marked };
  if (state === 'stopped') return { ...common, state, served, stop: { reason: reason ?? '', poison } };
  if (state === 'filling' || served === null) return { ...common, state: 'filling', served, stop: null };
  return { ...common, state, served, stop: null };
}
