import { type Position } from '../../src/core/event-log.js';
import { type GenerationProgress } from './generation-progress.js';
import { NotHeld } from './held-event.js';
import { follow, interrupt, switched } from './projector-following.js';
import {
  adopt,
  happened,
  hasReached,
  onRetryOf,
  withdrawUnlessHeld,
  type Context,
  type ProjectorOptions,
  type ProjectorState,
} from './projector-reports.js';
import { initialStatus, type ProjectionStatus } from './projection-status.js';
import { isOutdated } from './marking.js';
import { type Surroundings } from './filling/filling.js';
import { fillAndServe, rebuilt, type RebuildResult } from './rebuild.js';
import { PermanentError, retry } from '../../src/core/concurrency/retry.js';
import { checkpointFlusher } from './checkpoint-flusher.js';
import { recentDocuments } from './recent-documents.js';
import { servedGeneration } from './generation-progress.js';
import { condition } from '../../src/core/concurrency/condition.js';
import { serialQueue } from '../../src/core/concurrency/serial-queue.js';
import { stop } from './stop-projection.js';

/** `together`: the names of all projections that are rebuilt at the same time. They share one reading of the log. */
type Rebuild = (onProgress: Surroundings['onProgress'], together: readonly string[]) => Promise<RebuildResult>;

/** One projection, kept up to date by itself. */
interface Projector {
  /** Resolves when the signal has aborted and nothing is under way any more. */
  readonly run: () => Promise<void>;
  readonly rebuild: Rebuild;
  readonly status: () => ProjectionStatus;
  /** Resolves when the served generation reflects the position, or nothing more is to be expected. */
  readonly reached: (position: Position | null) => Promise<void>;
}

/** Keeps one projection up to date, regardless of the others. */
export function projector(options: ProjectorOptions): Projector {
  const { projection, ports, saveEveryMs } = options;
  const state: ProjectorState = {
    status: initialStatus(projection),
    isHeld: false,
    isTaking: false,
    rebuilding: null,
    pause: new AbortController(),
    ended: false,
  };
  const changed = condition();
  const flusher = checkpointFlusher({
    store: ports.store,
    projection,
    served: () => state.status.served,
    isBusy: () => state.isTaking,
    everyMs: saveEveryMs,
    onRetry: onRetryOf({ ...options, state, changed }),
  });
  const context: Context = { ...options, state, changed, enqueue: serialQueue(), flusher, recent: recentDocuments() };
  return {
    run: () => run(context),
    rebuild: (onProgress, together) => {
      if (state.rebuilding !== null) {
        const reason = `${projection.name} is being filled already`;
        return Promise.resolve({ outcome: 'failed', projection: projection.name, reason });
      }
      return rebuild(context, onProgress, together);
    },
    status: () => state.status,
    reached: async (position) => {
      await changed.until(() => hasReached(state, position));
    },
  };
}

function rebuild(context: Context, ...[onProgress, together]: Parameters<Rebuild>): Promise<RebuildResult> {
  const { projection, state } = context;
  const work = async (): ReturnType<typeof fillAndServe> => {
    // A first filling comes before it.
    await context.changed.until(() => hasReached(state, null), { signal: context.ports.signal });
    return refill(context, onProgress, together);
  };
  const rebuilding = rebuilt(projection.name, work).finally(() => {
    state.rebuilding = null;
  });
  state.rebuilding = rebuilding;
  return rebuilding;
}

async function run(context: Context): Promise<void> {
  const { state, ports, changed, enqueue } = context;
  try {
    await start(context);
    await refillOutdated(context);
    while (!ports.signal.aborted) {
      const until = AbortSignal.any([ports.signal, state.pause.signal]);
      const isLive = (): boolean => state.status.served !== null && state.status.stop === null;
      await enqueue(() => (isLive() ? follow(context, until) : Promise.resolve()));
      // A stopped projection waits for a rebuild; any other one gives way to it.
      if (state.status.stop !== null) await changed.until(() => state.status.stop === null, { signal: until });
      else await fillAgain(context);
    }
  } catch (error) {
    if (!ports.signal.aborted) throw error;
  } finally {
    await state.rebuilding;
    await context.flusher.end();
    state.ended = true;
    changed.notify();
  }
}

async function start(context: Context): Promise<void> {
  const { projection, ports } = context;
  const progress = await retry(() => servedGeneration(ports.store, projection), ports.signal, onRetryOf(context));
  if (progress === null) await fill(context);
  else happened(context, { type: 'served', progress });
}

/** Serves a generation of the projection's version where none is served. */
async function fill(context: Context): Promise<void> {
  const { ports } = context;
  const work = async (): Promise<unknown> => {
    await withdrawUnlessHeld(context);
    return fillAndServe(
      surroundings(context),
      async (last) => adopt(context, await last()),
      () => null,
    );
  };
  try {
    await retry(work, ports.signal, onRetryOf(context));
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error;
    // The log was restored while it was read. The next filling begins with what the log holds now.
    if (!(error instanceof NotHeld)) await stop(context, error);
  } finally {
    happened(context, { type: 'filled' });
  }
}

/** Beside what is served: streams that an earlier release marked and that this one understands. */
async function refillOutdated(context: Context): Promise<void> {
  const { projection, ports, state } = context;
  const { served } = state.status;
  if (served === null) return;
  const marks = await retry(
    () => ports.store.marks(projection.name, served.generation),
    ports.signal,
    onRetryOf(context),
  );
  if (!isOutdated(marks, ports.eventTypes)) return;
  void rebuild(context, () => undefined, [projection.name]).then((result) => {
    if (result.outcome === 'failed') onRetryOf(context)(new Error(result.reason), 0);
  });
}

/** Where nothing is served any longer, unless a rebuild that is under way fills it. */
async function fillAgain(context: Context): Promise<void> {
  const { state, changed, ports } = context;
  const isUnserved = (): boolean => state.status.served === null && state.status.stop === null;
  if (!isUnserved()) return;
  await changed.until(() => state.status.rebuild === null);
  if (isUnserved() && !ports.signal.aborted) await fill(context);
}

async function refill(
  context: Context,
  ...[onProgress, together]: Parameters<Rebuild>
): ReturnType<typeof fillAndServe> {
  const { state, enqueue } = context;
  const whilePaused = (work: () => Promise<GenerationProgress>): Promise<GenerationProgress> => {
    const turn = enqueue(() => switched(context, work));
    interrupt(state);
    return turn;
  };
  happened(context, { type: 'filling', progress: null });
  try {
    await retry(() => withdrawUnlessHeld(context), context.ports.signal, onRetryOf(context));
    const around = { ...surroundings(context, onProgress), log: context.ports.log.only(together) };
    return await fillAndServe(around, whilePaused, () => state.status.served);
  } finally {
    happened(context, { type: 'filled' });
    // What it withdrew and could not fill again is filled by `run`.
    if (state.status.served === null && state.status.stop === null) interrupt(state);
  }
}

function surroundings(context: Context, onProgress?: Surroundings['onProgress']): Surroundings {
  return {
    ...context.ports,
    projection: context.projection,
    onRetry: onRetryOf(context),
    onProgress: (progress) => {
      happened(context, { type: 'filling', progress });
      onProgress?.(progress);
    },
  };
}
