import { setImmediate } from 'node:timers/promises';
import { type Position } from '../../src/core/event-log.js';
import { type EventRegistry } from '../../src/core/event-types.js';
import { NO_MARKS } from '../../src/core/marks.js';
import { type Reached, type ReadModelStore, type Generation } from '../../src/core/projection.js';
import { type UnderstoodReader } from '../../src/core/logs/understood-log.js';
import { accountOf } from './account.js';
import { applyBatch, typesWithoutUse } from './apply-batch.js';
import { type AnyProjection, type GenerationProgress } from './generation-progress.js';
import { assertHeld } from './held-event.js';
import { batchesFor, joinedBatches, Poisoned } from './readable-batches.js';
import { sampleOf } from './sample.js';
import { verified, type Verdict } from './verifying.js';
import { PermanentError, messageOf, retry, type OnRetry } from '../../src/core/concurrency/retry.js';

export interface RebuildProgress {
  readonly projection: string;
  /** Applied so far. How many the log holds is not known: not every log can count them. */
  readonly events: number;
  readonly eventsPerSecond: number;
  /** Of the way from the log's start to where it ended when the filling began: 0 to 1. */
  readonly share: number;
  /** Null until an estimate is possible. */
  readonly secondsLeft: number | null;
  readonly position: Position | null;
  /** Of the log, when the filling began. */
  readonly end: Position | null;
  /** Streams, rows and documents that were verified, once all events are applied. */
  readonly verified?: number;
}

export type RebuildResult =
  | {
      readonly outcome: 'served';
      readonly projection: string;
      /** Named by earlier releases, which may ask for it. */
      readonly run: Generation;
      readonly events: number;
      readonly milliseconds: number;
      /** In what it differs from the generation that was served before, in words. Left out by earlier releases. */
      readonly differences?: readonly string[];
    }
  /** The generation that was served before still is. */
  | { readonly outcome: 'failed'; readonly projection: string; readonly reason: string };

/** What the filling of a generation needs around it. */
export interface Surroundings {
  readonly projection: AnyProjection;
  readonly log: UnderstoodReader;
  readonly eventTypes: EventRegistry;
  readonly store: ReadModelStore;
  readonly signal: AbortSignal;
  readonly onRetry: OnRetry;
  readonly onProgress: (progress: RebuildProgress) => void;
}

/** A generation, and what it took to fill it. */
export interface FilledGeneration {
  readonly progress: GenerationProgress;
  readonly events: number;
  /** In what it differs from the generation that was served before, in words. */
  readonly differences: readonly string[];
}

/**
 * Fills a new generation from the start of the log, verifies it, catches up and serves it. `served` is the one that is
 * served until now, if it is of the same version; `whilePaused` holds its live updates while the last events are applied
 * and the generations are switched. The generation of a filling that fails is discarded; an interrupted one is left to
 * the store's next start.
 */
export async function fillAndServe(
  around: Surroundings,
  whilePaused: (work: () => Promise<GenerationProgress>) => Promise<GenerationProgress>,
  served: () => GenerationProgress | null,
): Promise<FilledGeneration> {
  const { store, signal, onRetry } = around;
  const { name, models, version } = around.projection;
  const generation = await retry(() => store.open(name, models, version), signal, onRetry);
  const filling = await fillingOf(around, generation, served() === null ? BATCHES_AT_FIRST : BATCHES_BESIDE);
  try {
    await filling.catchUp();
    const { faults, differences } = await retry(() => filling.verify(served()), signal, onRetry);
    if (faults.length > 0) throw new PermanentError(`${name} is not sound after its rebuild: ${faults.join('; ')}`);
    await filling.catchUp();
    const progress = await whilePaused(async () => {
      const { marks, ...reached } = await filling.catchUp();
      await retry(() => store.commit(name, generation, [], { version, ...reached }), signal, onRetry);
      const isServed = await retry(() => store.serve(name, generation), signal, onRetry);
      if (!isServed) throw new PermanentError(`${name} is still behind the generation that it should replace`);
      return { generation, ...reached, marks };
    });
    return { progress, events: filling.events(), differences };
  } catch (error) {
    const isServed = (): Promise<boolean> => store.serving(name).then((now) => now === generation);
    const discard = async (): Promise<void> => {
      if (!(await isServed())) await store.discard(name, generation, models);
    };
    if (!signal.aborted) await retry(discard, signal, onRetry);
    throw error;
  }
}

/** As an answer for the one who asked for it. */
export async function rebuilt(projection: string, work: () => Promise<FilledGeneration>): Promise<RebuildResult> {
  const started = performance.now();
  try {
    const { progress, events, differences } = await work();
    const milliseconds = performance.now() - started;
    return { outcome: 'served', projection, run: progress.generation, events, milliseconds, differences };
  } catch (error) {
    return { outcome: 'failed', projection, reason: messageOf(error) };
  }
}

const BEFORE_THE_FIRST: Reached & Pick<GenerationProgress, 'marks'> = { position: null, event: null, marks: NO_MARKS };

/** Batches of a commit if no live updates wait. */
const BATCHES_AT_FIRST = 4;
/** Beside a generation that is served: live updates wait for each commit. */
const BATCHES_BESIDE = 2;

interface Filling {
  /** Applies all there is in the log by now, and answers how far that is. */
  readonly catchUp: () => Promise<Reached & Pick<GenerationProgress, 'marks'>>;
  readonly verify: (served: GenerationProgress | null) => Promise<Verdict>;
  readonly events: () => number;
}

async function fillingOf(around: Surroundings, generation: Generation, atOnce: number): Promise<Filling> {
  const { projection, log, eventTypes, signal, onRetry } = around;
  const account = accountOf(around.store);
  const { store } = account;
  const leftOut = typesWithoutUse(projection, eventTypes);
  const sample = sampleOf(projection);
  const end = await retry(() => log.end(), signal, onRetry);
  const report = reporting(around, end);
  let { position, event, marks } = BEFORE_THE_FIRST;
  let events = 0;
  const apply = async (progressed: () => void): Promise<void> => {
    await assertHeld(log, projection.name, { position, event });
    const batches = batchesFor(projection, eventTypes, log.readAll(position, leftOut, signal));
    for await (const batch of joinedBatches(batches, atOnce)) {
      const applied = await applyBatch({ store, projection }, { generation, position, event, marks }, batch);
      if (applied.poison !== null) throw new Poisoned(projection.name, applied.poison);
      sample.see([...batch.events, ...batch.unsupported]);
      ({ position, event, marks } = applied);
      events += applied.events;
      progressed();
      report(events, position);
      // Live updates and requests of the same thread go first.
      await setImmediate();
    }
    signal.throwIfAborted();
  };
  return {
    events: () => events,
    catchUp: async () => {
      await retry(apply, signal, onRetry);
      return { position, event, marks };
    },
    verify: (served) => {
      const onProgress = (seen: number): void => {
        signal.throwIfAborted();
        report(events, position, seen);
      };
      const progress = { generation, position, event, marks };
      // What is marked in the one need not be in the other.
      const comparable = marks.size === 0 && served?.marks.size === 0 ? served : null;
      const filled = { projection, progress, account, sample, served: comparable };
      return verified({ log, store: around.store, onProgress }, filled);
    },
  };
}

function reporting({ projection, log, onProgress }: Surroundings, end: Position | null) {
  const began = performance.now();
  return (events: number, position: Position | null, seen?: number): void => {
    const seconds = Math.max(0.001, (performance.now() - began) / 1000);
    const share = end === null ? 1 : position === null ? 0 : Math.min(1, log.fractionAt(position, end));
    onProgress({
      projection: projection.name,
      events,
      eventsPerSecond: Math.round(events / seconds),
      share,
      secondsLeft: share === 0 ? null : (seconds * (1 - share)) / share,
      position,
      end,
      ...(seen !== undefined && { verified: seen }),
    });
  };
}
