import { type Target } from './target.js';
import { heldEvent, NotHeld } from './held-event.js';
import { follow } from './projector-following.js';
import { adopt, stop, trouble, withdraw, type Context } from './projector-reports.js';
import { hasReached, statusOf, type Lane, type LaneOptions, type LaneState } from './projection-status.js';
import { isOutdated } from './marking.js';
import { fillAndServe, rebuilt, type RebuildProgress, type RebuildResult, type Surroundings } from './rebuild.js';
import { PermanentError, retry } from '../../src/core/concurrency/retry.js';
import { saving, type Saving } from './checkpoint-flusher.js';
import { keptTarget, servedTarget } from './resumable-generations.js';
import { condition } from '../../src/core/concurrency/condition.js';
import { serialQueue } from '../../src/core/concurrency/serial-queue.js';

/** Keeps one projection up to date, whatever happens to the others. */
export function lane(options: LaneOptions): Lane {
  const { projection } = options;
  const state: LaneState = {
    target: null,
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
    saving: savingOf(options, state),
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

function savingOf(options: LaneOptions, state: LaneState): Saving {
  return saving({
    store: options.ports.store,
    target: () => state.target,
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
      const isLive = (): boolean => state.target !== null && state.stopped === null;
      await enqueue(() => (isLive() ? follow(context, until) : Promise.resolve()));
      // A stopped projection waits for a rebuild; any other one gives way to it.
      if (state.stopped !== null) await changed.until(() => state.stopped === null, { signal: until });
      else await fillAgain(context);
    }
  } catch (error) {
    if (!ports.signal.aborted) throw error;
  } finally {
    await state.rebuilding;
    await context.saving.end();
    state.ended = true;
    changed.notify();
  }
}

async function start(context: Context): Promise<void> {
  const { projection, ports, state } = context;
  const { signal } = ports;
  const served = await retry(() => servedTarget(ports.store, projection), signal, trouble(context));
  if (served !== null) {
    state.target = served;
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
    const kept = await keptTarget(ports.store, projection, ports.log);
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
  const { target } = state;
  if (target === null) return;
  const marks = await retry(() => ports.store.marks(projection.name, target.run), ports.signal, trouble(context));
  if (!isOutdated(marks, ports.eventTypes)) return;
  void rebuild(context, () => undefined).then((result) => {
    if (result.outcome === 'failed') trouble(context)(new Error(result.reason), 0);
  });
}

/** Where nothing is served any longer, unless a rebuild that is under way fills it. */
async function fillAgain(context: Context): Promise<void> {
  const { state, changed, ports } = context;
  if (state.target !== null) return;
  await changed.until(() => !state.isRefilling);
  const isEmpty = (): boolean => state.target === null && state.stopped === null;
  if (isEmpty() && !ports.signal.aborted) await fill(context);
}

async function refill(
  context: Context,
  onProgress: (progress: RebuildProgress) => void,
): ReturnType<typeof fillAndServe> {
  const { projection, state, changed, enqueue } = context;
  const whilePaused = (work: () => Promise<Target>): Promise<Target> => {
    const turn = enqueue(async () => adopt(context, await work()));
    state.pause.abort();
    state.pause = new AbortController();
    return turn;
  };
  state.isRefilling = true;
  try {
    await retry(() => withdrawUnlessHeld(context), context.ports.signal, trouble(context));
    const earlier = { kept: null, served: () => state.target };
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

/** What is served may be of another version than this program's. */
async function withdrawUnlessHeld(context: Context): Promise<void> {
  const { projection, ports } = context;
  const run = await ports.store.serving(projection.name);
  const checkpoint = run === null ? null : await ports.store.checkpoint(projection.name, run);
  if (checkpoint === null) return;
  try {
    await heldEvent(ports.log, projection.name, checkpoint);
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error;
    await withdraw(context, error.missing);
  }
}
