import { type Batch } from '../src/core/event-log.js';
import { applyBatch, typesOf, type Target } from './apply.js';
import { hasReached, statusOf, type Lane, type LaneOptions, type LaneState } from './lane-state.js';
import { batchesFor, fillAndServe, Poisoned, rebuilt, type RebuildProgress, type Surroundings } from './rebuild.js';
import { Final, messageOf, retrying, type OnTrouble } from './retry.js';
import { saving, type Saving } from './saving.js';
import { keptTarget, servedTarget } from './targets.js';
import { aborted, turns, waitingRoom, type WaitingRoom } from './waiting.js';

interface Context extends LaneOptions {
  readonly state: LaneState;
  readonly room: WaitingRoom;
  readonly inTurn: ReturnType<typeof turns>;
  readonly saving: Saving;
}

/** Keeps one projection up to date, whatever happens to the others. */
export function lane(options: LaneOptions): Lane {
  const { projection } = options;
  const state: LaneState = {
    target: null,
    isTaking: false,
    stopped: null,
    trouble: null,
    progress: null,
    rebuilding: null,
    pause: new AbortController(),
    ended: false,
  };
  const context: Context = {
    ...options,
    state,
    room: waitingRoom(),
    inTurn: turns(),
    saving: savingOf(options, state),
  };
  return {
    run: () => run(context),
    rebuild: (onProgress) => {
      if (state.rebuilding !== null || (state.target === null && state.stopped === null)) {
        const reason = `${projection.name} is being filled already`;
        return Promise.resolve({ outcome: 'failed', projection: projection.name, reason });
      }
      state.rebuilding = rebuilt(projection.name, () => refill(context, onProgress)).finally(() => {
        state.rebuilding = null;
      });
      return state.rebuilding;
    },
    status: () => statusOf(projection, state),
    reached: (position) => context.room.until(() => hasReached(state, position)),
  };
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
  const { state, ports, room, inTurn } = context;
  try {
    await start(context);
    while (!ports.signal.aborted) {
      const until = AbortSignal.any([ports.signal, state.pause.signal]);
      await inTurn(() => (state.stopped === null ? follow(context, until) : Promise.resolve()));
      // A stopped projection waits for a rebuild; any other one gives way to it.
      if (state.stopped !== null) await aborted(until);
    }
  } catch (error) {
    if (!ports.signal.aborted) throw error;
  } finally {
    await state.rebuilding;
    await context.saving.end();
    state.ended = true;
    room.look();
  }
}

async function start(context: Context): Promise<void> {
  const { projection, ports, state } = context;
  const { signal } = ports;
  const served = await retrying(() => servedTarget(ports.store, projection), signal, trouble(context));
  if (served !== null) {
    state.target = served;
    context.room.look();
    return;
  }
  const fill = async (): Promise<unknown> =>
    fillAndServe(
      surroundings(context),
      projection,
      async (work) => adopt(context, await work()),
      await keptTarget(ports.store, projection),
    );
  try {
    await retrying(fill, signal, trouble(context));
  } catch (error) {
    if (!(error instanceof Final)) throw error;
    stop(context, error);
  } finally {
    state.progress = null;
  }
}

async function refill(
  context: Context,
  onProgress: (progress: RebuildProgress) => void,
): ReturnType<typeof fillAndServe> {
  const { projection, state, inTurn } = context;
  try {
    return await fillAndServe(surroundings(context, onProgress), projection, (work) => {
      const turn = inTurn(async () => adopt(context, await work()));
      state.pause.abort();
      state.pause = new AbortController();
      return turn;
    });
  } finally {
    state.progress = null;
  }
}

function surroundings(context: Context, onProgress?: (progress: RebuildProgress) => void): Surroundings {
  return {
    ...context.ports,
    onTrouble: trouble(context),
    onProgress: (progress) => {
      context.state.progress = progress;
      onProgress?.(progress);
    },
  };
}

function adopt(context: Context, target: Target): Target {
  Object.assign(context.state, { target, stopped: null, trouble: null });
  context.saving.done();
  told(context, target, target.projection.models);
  return target;
}

function told({ report, room }: Context, { projection, run, position }: Target, models: readonly string[]): void {
  if (position !== null) report({ type: 'progress', projection: projection.name, run, position, models });
  room.look();
}

function stop({ projection, state, report, room }: Context, error: Final): void {
  const poison = error instanceof Poisoned ? error.poison : null;
  state.stopped = { reason: error.message, poison };
  report({ type: 'stopped', projection: projection.name, reason: error.message, poison });
  room.look();
}

function trouble({ projection, state, report }: Pick<Context, 'projection' | 'state' | 'report'>): OnTrouble {
  return (error, retryInMs) => {
    state.trouble = messageOf(error);
    report({ type: 'troubled', projection: projection.name, reason: state.trouble, retryInMs });
  };
}

/** Applies what the log gives until the signal aborts or an event cannot be read or applied. */
async function follow(context: Context, signal: AbortSignal): Promise<void> {
  const { projection, ports, state } = context;
  const read = async (progressed: () => void): Promise<void> => {
    const after = state.target?.position ?? null;
    try {
      for await (const batch of batchesFor(projection, ports.log.subscribe(after, typesOf(projection), signal))) {
        await take(context, batch);
        progressed();
      }
    } catch (error) {
      if (error instanceof Poisoned) await context.saving.now();
      throw error;
    }
  };
  try {
    await retrying(read, signal, trouble(context));
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof Final)) throw error;
    stop(context, error);
  }
}

async function take(context: Context, batch: Batch): Promise<void> {
  const { state } = context;
  if (state.target === null) return;
  state.isTaking = true;
  try {
    await apply(context, state.target, batch);
  } finally {
    state.isTaking = false;
  }
}

async function apply(context: Context, target: Target, batch: Batch): Promise<void> {
  const { projection, ports, state } = context;
  const { position, models, poison } = await applyBatch(ports.store, target, batch);
  state.trouble = null;
  state.target = { ...target, position };
  if (models.length > 0) context.saving.done();
  else if (position !== target.position) context.saving.later();
  if (position !== target.position) told(context, state.target, models);
  if (poison !== null) throw new Poisoned(projection.name, poison);
}
