import { type GenerationProgress } from './generation-progress.js';
import { NotHeld } from './held-event.js';
import { follow } from './projector-following.js';
import { adopt, stop, trouble, withdrawUnlessHeld, type Context } from './projector-reports.js';
import {
  hasReached,
  statusOf,
  type Projector,
  type ProjectorOptions,
  type ProjectorState,
} from './projection-status.js';
import { isOutdated } from './marking.js';
import { fillAndServe, rebuilt, type RebuildProgress, type RebuildResult, type Surroundings } from './rebuild.js';
import { PermanentError, retry } from '../../src/core/concurrency/retry.js';
import { checkpointFlusher, type CheckpointFlusher } from './checkpoint-flusher.js';
import { keptGeneration, servedGeneration } from './resumable-generations.js';
import { condition } from '../../src/core/concurrency/condition.js';
import { serialQueue } from '../../src/core/concurrency/serial-queue.js';

/** Keeps one projection up to date, whatever happens to the others. */
export function projector(options: ProjectorOptions): Projector {
  const { projection } = options;
  const state: ProjectorState = {
    generation: null,
    isHeld: false,
    isTaking: false,
    stopped: null,
    trouble: null,
    progress: null,
    rebuilding: null,
    isRefilling: false,
    pause: new AbortController(),
    ended: false,
  };
  const context: Context = {
    ...options,
    state,
    changed: condition(),
    enqueue: serialQueue(),
    flusher: flusherOf(options, state),
  };
  return {
    run: () => run(context),
    rebuild: (onProgress) => {
      if (state.rebuilding !== null) {
        const reason = `${projection.name} is being filled already`;
        return Promise.resolve({ outcome: 'failed', projection: projection.name, reason });
      }
      return rebuild(context, onProgress);
    },
    status: () => statusOf(projection, state),
    reached: async (position) => {
      await context.changed.until(() => hasReached(state, position));
    },
  };
}

function rebuild(context: Context, onProgress: (progress: RebuildProgress) => void): Promise<RebuildResult> {
  const { projection, state } = context;
  const work = async (): ReturnType<typeof fillAndServe> => {
    // A first filling comes before it.
    await context.changed.until(() => hasReached(state, null), { signal: context.ports.signal });
    return refill(context, onProgress);
  };
  const rebuilding = rebuilt(projection.name, work).finally(() => {
    state.rebuilding = null;
  });
  state.rebuilding = rebuilding;
  return rebuilding;
}

function flusherOf(options: ProjectorOptions, state: ProjectorState): CheckpointFlusher {
  return checkpointFlusher({
    store: options.ports.store,
    generation: () => state.generation,
    isBusy: () => state.isTaking,
    everyMs: options.saveEveryMs,
    onTrouble: (error) => {
      trouble({ ...options, state })(error, 0);
    },
  });
}

async function run(context: Context): Promise<void> {
  const { state, ports, changed, enqueue } = context;
  try {
    await start(context);
    await refillOutdated(context);
    while (!ports.signal.aborted) {
      const until = AbortSignal.any([ports.signal, state.pause.signal]);
      const isLive = (): boolean => state.generation !== null && state.stopped === null;
      await enqueue(() => (isLive() ? follow(context, until) : Promise.resolve()));
      // A stopped projection waits for a rebuild; any other one gives way to it.
      if (state.stopped !== null) await changed.until(() => state.stopped === null, { signal: until });
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
  const { projection, ports, state } = context;
  const { signal } = ports;
  const served = await retry(() => servedGeneration(ports.store, projection), signal, trouble(context));
  if (served !== null) {
    state.generation = served;
    context.changed.notify();
    return;
  }
  await fill(context);
}

/** Serves a run of the projection's version where none is served. */
async function fill(context: Context): Promise<void> {
  const { projection, ports, state } = context;
  const work = async (): Promise<unknown> => {
    await withdrawUnlessHeld(context);
    const kept = await keptGeneration(ports.store, projection, ports.log);
    const earlier = { kept, served: () => null };
    return fillAndServe(surroundings(context), projection, async (last) => adopt(context, await last()), earlier);
  };
  try {
    await retry(work, ports.signal, trouble(context));
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error;
    // The log was restored while it was read. The next filling begins with what the log holds now.
    if (!(error instanceof NotHeld)) await stop(context, error);
  } finally {
    state.progress = null;
  }
}

/** Beside what is served: streams that an earlier release marked and that this one understands. */
async function refillOutdated(context: Context): Promise<void> {
  const { projection, ports, state } = context;
  const { generation } = state;
  if (generation === null) return;
  const marks = await retry(() => ports.store.marks(projection.name, generation.run), ports.signal, trouble(context));
  if (!isOutdated(marks, ports.eventTypes)) return;
  void rebuild(context, () => undefined).then((result) => {
    if (result.outcome === 'failed') trouble(context)(new Error(result.reason), 0);
  });
}

/** Where nothing is served any longer, unless a rebuild that is under way fills it. */
async function fillAgain(context: Context): Promise<void> {
  const { state, changed, ports } = context;
  if (state.generation !== null) return;
  await changed.until(() => !state.isRefilling);
  const isEmpty = (): boolean => state.generation === null && state.stopped === null;
  if (isEmpty() && !ports.signal.aborted) await fill(context);
}

async function refill(
  context: Context,
  onProgress: (progress: RebuildProgress) => void,
): ReturnType<typeof fillAndServe> {
  const { projection, state, changed, enqueue } = context;
  const whilePaused = (work: () => Promise<GenerationProgress>): Promise<GenerationProgress> => {
    const turn = enqueue(async () => adopt(context, await work()));
    state.pause.abort();
    state.pause = new AbortController();
    return turn;
  };
  state.isRefilling = true;
  try {
    await retry(() => withdrawUnlessHeld(context), context.ports.signal, trouble(context));
    const earlier = { kept: null, served: () => state.generation };
    return await fillAndServe(surroundings(context, onProgress), projection, whilePaused, earlier);
  } finally {
    Object.assign(state, { progress: null, isRefilling: false });
    changed.notify();
  }
}

function surroundings(context: Context, onProgress?: (progress: RebuildProgress) => void): Surroundings {
  return {
    ...context.ports,
    onRetry: trouble(context),
    onProgress: (progress) => {
      context.state.progress = progress;
      onProgress?.(progress);
    },
  };
}
