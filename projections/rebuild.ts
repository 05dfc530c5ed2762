import { setImmediate } from 'node:timers/promises';
import { type Batch, type EventReader, type Position, UnreadableEvent } from '../src/core/event-log.js';
import { type ReadModelStore, type Run } from '../src/core/projection.js';
import { applyBatch, typesOf, type AnyProjection, type Poison, type Target } from './apply.js';
import { Final, messageOf, retrying, type OnTrouble } from './retry.js';

export interface RebuildProgress {
  readonly projection: string;
  /** Applied so far. How many the log holds is not known: not every log can count them. */
  readonly events: number;
  readonly eventsPerSecond: number;
  /** Of the way from the log's start to where it ended when the filling began: 0 to 1. */
  readonly share: number;
  /** Null until that can be told. */
  readonly secondsLeft: number | null;
  readonly position: Position | null;
  /** Of the log, when the filling began. */
  readonly end: Position | null;
}

export type RebuildResult =
  | {
      readonly outcome: 'served';
      readonly projection: string;
      readonly run: Run;
      readonly events: number;
      readonly milliseconds: number;
    }
  /** The run that was served before still is. */
  | { readonly outcome: 'failed'; readonly projection: string; readonly reason: string };

/** What the filling of a run needs around it. */
export interface Surroundings {
  readonly log: EventReader;
  readonly store: ReadModelStore;
  readonly signal: AbortSignal;
  readonly onTrouble: OnTrouble;
  readonly onProgress: (progress: RebuildProgress) => void;
}

export class Poisoned extends Final {
  override readonly name = 'Poisoned';
  readonly poison: Poison;

  constructor(projection: string, poison: Poison) {
    const { type, stream, revision, position, reason } = poison;
    super(`${projection} cannot apply ${type}, revision ${revision} of ${stream} at position ${position}: ${reason}`);
    this.poison = poison;
  }
}

/** What the log gives a projection. An event that cannot be read is poison like one that cannot be applied. */
export async function* batchesFor(
  { name }: AnyProjection,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Batch, void, void> {
  try {
    yield* batches;
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    const { type, stream, revision, position, reason } = error;
    throw new Poisoned(name, { type, stream, revision, position, reason });
  }
}

/**
 * Fills a new run from the start of the log, or one that was kept from where it stands, verifies it, catches up and
 * serves it. `whilePaused` holds the live
 * updates of the run that is served until now, while the last events are applied and the runs are switched. The
 * run of a filling that fails is discarded; an interrupted one is left to the store's next start.
 */
export async function fillAndServe(
  around: Surroundings,
  projection: AnyProjection,
  whilePaused: (work: () => Promise<Target>) => Promise<Target>,
  kept: Target | null = null,
): Promise<{ readonly target: Target; readonly events: number }> {
  const { store, signal, onTrouble } = around;
  const { name, models, version } = projection;
  const start: Target = kept ?? {
    projection,
    run: await retrying(() => store.open(name, models, version), signal, onTrouble),
    position: null,
  };
  const { run } = start;
  const filling = await fillingOf(around, start);
  try {
    await filling.catchUp();
    const findings = await store.verify(name, run, models);
    if (findings.length > 0) throw new Final(`${name} is not sound after its rebuild: ${findings.join('; ')}`);
    await filling.catchUp();
    const target = await whilePaused(async () => {
      const position = await filling.catchUp();
      await store.commit(name, run, [], { version, position });
      const isServed = await retrying(() => store.serve(name, run), signal, onTrouble);
      if (!isServed) throw new Final(`${name} is still behind the run that it should replace`);
      return { projection, run, position };
    });
    return { target, events: filling.events() };
  } catch (error) {
    const isServed = (): Promise<boolean> => store.serving(name).then((served) => served === run);
    const discard = async (): Promise<void> => {
      if (!(await isServed())) await store.discard(name, run, models);
    };
    if (!signal.aborted) await retrying(discard, signal, onTrouble);
    throw error;
  }
}

/** As an answer for the one who asked for it. */
export async function rebuilt(
  projection: string,
  work: () => Promise<{ readonly target: Target; readonly events: number }>,
): Promise<RebuildResult> {
  const started = performance.now();
  try {
    const { target, events } = await work();
    return { outcome: 'served', projection, run: target.run, events, milliseconds: performance.now() - started };
  } catch (error) {
    return { outcome: 'failed', projection, reason: messageOf(error) };
  }
}

interface Filling {
  /** Applies all there is in the log by now, and answers how far that is. */
  readonly catchUp: () => Promise<Position | null>;
  readonly events: () => number;
}

async function fillingOf(around: Surroundings, start: Target): Promise<Filling> {
  const { log, store, signal, onTrouble, onProgress } = around;
  const { projection, run } = start;
  const began = performance.now();
  const end = await retrying(() => log.end(), signal, onTrouble);
  let { position } = start;
  let events = 0;
  const report = (): void => {
    const seconds = Math.max(0.001, (performance.now() - began) / 1000);
    const share = end === null ? 1 : position === null ? 0 : Math.min(1, log.share(position, end));
    onProgress({
      projection: projection.name,
      events,
      eventsPerSecond: Math.round(events / seconds),
      share,
      secondsLeft: share === 0 ? null : (seconds * (1 - share)) / share,
      position,
      end,
    });
  };
  const apply = async (progressed: () => void): Promise<void> => {
    for await (const batch of batchesFor(projection, log.readAll(position, typesOf(projection), signal))) {
      const applied = await applyBatch(store, { projection, run, position }, batch);
      if (applied.poison !== null) throw new Poisoned(projection.name, applied.poison);
      position = applied.position;
      events += applied.events;
      progressed();
      report();
      // Live updates and requests of the same thread go first.
      await setImmediate();
    }
    signal.throwIfAborted();
  };
  return {
    events: () => events,
    catchUp: async () => {
      await retrying(apply, signal, onTrouble);
      return position;
    },
  };
}
