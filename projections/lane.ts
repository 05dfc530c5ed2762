import { type Batch, type Position } from '../src/core/event-log.js';
import { applyBatch, typesOf, type AnyProjection, type Target } from './apply.js';
import { type Lane, type LaneOptions, type LaneState, type ProjectionStatus } from './lane-state.js';
import { fillAndServe, Poisoned, rebuilt, type RebuildProgress, type Surroundings } from './rebuild.js';
import { Final, messageOf, retrying, type OnTrouble } from './retry.js';
import { aborted, turns, waitingRoom, type WaitingRoom } from './waiting.js';

/** A checkpoint for events that change nothing is worth a write only now and then. */
const CHECKPOINT_EVERY_MS = 1000;

interface Context extends LaneOptions {
  readonly state: LaneState;
  readonly room: WaitingRoom;
  readonly inTurn: ReturnType<typeof turns>;
}

/** Keeps one projection up to date, whatever happens to the others. */
export function lane(options: LaneOptions): Lane {
  const { projection } = options;
  const state: LaneState = {
    target: null,
    savedAt: 0,
    unsaved: false,
    stopped: null,
    trouble: null,
    progress: null,
    rebuilding: null,
    pause: new AbortController(),
    ended: false,
  };
  const context: Context = { ...options, state, room: waitingRoom(), inTurn: turns() };
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

function statusOf({ name, version }: AnyProjection, state: LaneState): ProjectionStatus {
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

function hasReached({ target, stopped, ended }: LaneState, position: Position | null): boolean {
  if (stopped !== null || ended) return true;
  if (target === null) return false;
  return position === null || (target.position !== null && target.position >= position);
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
    await saveLast(context);
    state.ended = true;
    room.look();
  }
}

async function start(context: Context): Promise<void> {
  const { projection, ports, state } = context;
  const { signal } = ports;
  const served = await retrying(() => servedTarget(context), signal, trouble(context));
  if (served !== null) {
    state.target = served;
    context.room.look();
    return;
  }
  const fill = (): Promise<unknown> =>
    fillAndServe(surroundings(context), projection, async (work) => adopt(context, await work()));
  try {
    await retrying(fill, signal, trouble(context));
  } catch (error) {
    if (!(error instanceof Final)) throw error;
    stop(context, error);
  } finally {
    state.progress = null;
  }
}

/** The served run, where it is of this version. */
async function servedTarget({ projection, ports: { store } }: Context): Promise<Target | null> {
  const run = await store.serving(projection.name);
  if (run === null) return null;
  const checkpoint = await store.checkpoint(projection.name, run);
  return checkpoint?.version === projection.version ? { projection, run, position: checkpoint.position } : null;
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
  Object.assign(context.state, { target, stopped: null, trouble: null, unsaved: false, savedAt: performance.now() });
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

function trouble({ projection, state, report }: Context): OnTrouble {
  return (error, retryInMs) => {
    state.trouble = messageOf(error);
    report({ type: 'troubled', projection: projection.name, reason: state.trouble, retryInMs });
  };
}

/** Applies what the log gives until the signal aborts or an event cannot be applied. */
async function follow(context: Context, signal: AbortSignal): Promise<void> {
  const { projection, ports, state } = context;
  const read = async (progressed: () => void): Promise<void> => {
    const after = state.target?.position ?? null;
    for await (const batch of ports.log.subscribe(after, typesOf(projection), signal)) {
      await take(context, batch);
      progressed();
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
  const { projection, ports, state } = context;
  const { target } = state;
  if (target === null) return;
  const { position, models, poison } = await applyBatch(ports.store, target, batch);
  state.trouble = null;
  state.target = { ...target, position };
  if (models.length > 0) Object.assign(state, { unsaved: false, savedAt: performance.now() });
  else if (position !== target.position) state.unsaved = true;
  if (position !== target.position) told(context, state.target, models);
  if (poison !== null || performance.now() - state.savedAt > CHECKPOINT_EVERY_MS) await save(context);
  if (poison !== null) throw new Poisoned(projection.name, poison);
}

async function save({ projection, ports: { store }, state }: Context): Promise<void> {
  const { target, unsaved } = state;
  if (!unsaved || target === null) return;
  await store.commit(projection.name, target.run, [], { version: projection.version, position: target.position });
  state.unsaved = false;
  state.savedAt = performance.now();
}

/** Where this fails, the next start looks at some events again. */
async function saveLast(context: Context): Promise<void> {
  await save(context).catch((error: unknown) => {
    trouble(context)(error, 0);
  });
}
