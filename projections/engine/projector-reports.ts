/** Reports of a projector, for readers and for operators. */
import { type Position } from '../../src/core/event-log.js';
import { type UnderstoodReader } from '../../src/core/logs/understood-log.js';
import { type Mark } from '../../src/core/marks.js';
import { type Progress } from '../../src/core/projection.js';
import { type Poison } from './apply-batch.js';
import { type AnyProjection, type GenerationProgress } from './generation-progress.js';
import { assertHeld, NotHeld, type Missing } from './held-event.js';
import { transition, type Happening, type ProjectionStatus } from './projection-status.js';
import { type Surroundings } from './filling/filling.js';
import { type RebuildResult } from './rebuild.js';
import { PermanentError, messageOf, type OnRetry } from '../../src/core/concurrency/retry.js';
import { type CheckpointFlusher } from './checkpoint-flusher.js';
import { type RecentDocuments } from './recent-documents.js';
import { type Condition } from '../../src/core/concurrency/condition.js';
import { type SerialQueue } from '../../src/core/concurrency/serial-queue.js';

/** A report of a runner, as plain data. */
export type Notice =
  | ({ readonly type: 'progress' } & Progress)
  | {
      readonly type: 'stopped';
      readonly projection: string;
      readonly reason: string;
      readonly poison: Poison | null;
      /** Whether readers see a generation of it. */
      readonly isServed: boolean;
    }
  /** Readers see nothing of it until it is filled again: the log does not hold what it reflected. */
  | ({ readonly type: 'withdrawn'; readonly projection: string; readonly models: readonly string[] } & Missing)
  | { readonly type: 'marked'; readonly projection: string; readonly mark: Mark }
  /** A rebuild has replaced documents that were not what the log makes of them. */
  | { readonly type: 'differed'; readonly projection: string; readonly reason: string }
  | { readonly type: 'troubled'; readonly projection: string; readonly reason: string; readonly retryInMs: number }
  /** Another worker may have the projection now. */
  | { readonly type: 'lost'; readonly projection: string; readonly reason: string };

/** The log as projections read it: together, as far as they can. */
export interface ProjectionsLog extends UnderstoodReader {
  /** For some of them, by name, that read while the others do not. Who names the same ones reads together with them. */
  readonly only: (projections: readonly string[]) => UnderstoodReader;
}

export interface ProjectorOptions {
  readonly projection: AnyProjection;
  readonly ports: Pick<Surroundings, 'eventTypes' | 'store' | 'signal'> & { readonly log: ProjectionsLog };
  /** See the runner's options. */
  readonly isOwnLog: () => Promise<boolean>;
  readonly report: (notice: Notice) => void;
  /** For so long the store may not have the position of events that changed nothing. */
  readonly saveEveryMs: number;
}

export interface ProjectorState {
  status: ProjectionStatus;
  /** Whether the log was seen to hold the event that the served generation stands at. */
  isHeld: boolean;
  /** Whether a batch is being applied, or the generation that is served is replaced. */
  isTaking: boolean;
  rebuilding: Promise<RebuildResult> | null;
  /** Aborts the live updates, so that a rebuild has its turn. */
  pause: AbortController;
  ended: boolean;
}

/** Or nothing more is to be expected. */
export function hasReached(
  { status: { served, stop }, isHeld, ended }: ProjectorState,
  position: Position | null,
): boolean {
  if (stop !== null || ended) return true;
  if (served === null || !isHeld) return false;
  return position === null || (served.position !== null && served.position >= position);
}

export interface Context extends ProjectorOptions {
  readonly state: ProjectorState;
  /** What `state` says. */
  readonly changed: Condition;
  readonly enqueue: SerialQueue;
  readonly flusher: CheckpointFlusher;
  readonly recent: RecentDocuments;
}

/** The one way in which a status changes. */
export function happened({ state, changed }: Pick<Context, 'state' | 'changed'>, happening: Happening): void {
  state.status = transition(state.status, happening);
  changed.notify();
}

export function adopt(context: Context, progress: GenerationProgress): GenerationProgress {
  context.state.isHeld = true;
  context.flusher.flushed();
  happened(context, { type: 'served', progress });
  reportProgress(context, progress, context.projection.models, [...progress.marks.values()]);
  return progress;
}

/** Of one batch, or one filling. */
const MOST_REPORTED = 100;

export function reportProgress(
  { projection: { name }, report }: Context,
  { generation, position }: GenerationProgress,
  models: readonly string[],
  marked: readonly Mark[] = [],
): void {
  const news = marked.length > 0 ? { marked } : {};
  report({ type: 'progress', projection: name, generation, position, models, ...news });
  for (const mark of marked.slice(0, MOST_REPORTED)) report({ type: 'marked', projection: name, mark });
}

/** Throws PermanentError where the log is not the one that the read models were made from. */
export async function withdraw(context: Context, missing: Missing): Promise<void> {
  const { projection, ports, isOwnLog, report } = context;
  const { name, models } = projection;
  if (!(await isOwnLog()))
    throw new PermanentError(`The log is not the one that ${name} was made from: ${ANOTHER_LOG}`);
  happened(context, { type: 'withdrawn' });
  await ports.store.withdraw(name);
  report({ type: 'withdrawn', projection: name, models, ...missing });
}

const ANOTHER_LOG = 'it is empty, or has another first event; what is served stays as it is';

/** What is served may be of another version than this program's. */
export async function withdrawUnlessHeld(context: Context): Promise<void> {
  const { projection, ports } = context;
  const generation = await ports.store.serving(projection.name);
  const checkpoint = generation === null ? null : await ports.store.checkpoint(projection.name, generation);
  if (checkpoint === null) return;
  try {
    await assertHeld(ports.log, projection.name, checkpoint);
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error;
    await withdraw(context, error.missing);
  }
}

export function onRetryOf(context: Pick<Context, 'projection' | 'state' | 'changed' | 'report'>): OnRetry {
  return (error, retryInMs) => {
    const troubled = { type: 'troubled', reason: messageOf(error) } as const;
    happened(context, troubled);
    context.report({ ...troubled, projection: context.projection.name, retryInMs });
  };
}
