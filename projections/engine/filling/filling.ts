import { setImmediate } from 'node:timers/promises';
import { type Position } from '../../../src/core/event-log.js';
import { type EventRegistry } from '../../../src/core/event-types.js';
import { NO_MARKS } from '../../../src/core/marks.js';
import { type Generation, type Reached, type ReadModelStore } from '../../../src/core/projection.js';
import { type UnderstoodReader } from '../../../src/core/logs/understood-log.js';
import { retry, type OnRetry } from '../../../src/core/concurrency/retry.js';
import { applyBatch, typesWithoutUse, type Applicable } from '../apply-batch.js';
import { isAfter, marksUpTo, type AnyProjection, type GenerationProgress } from '../generation-progress.js';
import { assertHeld } from '../held-event.js';
import { batchesFor, Poisoned } from '../readable-batches.js';
import { recentDocuments } from '../recent-documents.js';
import { accountOf } from './account.js';
import { sampleOf, type Sample } from './sample.js';
import { verified, type Verdict } from './verifying.js';
import { Unwritten, writeBehind } from './write-behind.js';

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

export interface Filling {
  /** Applies all there is in the log by now, and answers how far that is. */
  readonly catchUp: () => Promise<Reached & Pick<GenerationProgress, 'marks'>>;
  readonly verify: (served: GenerationProgress | null) => Promise<Verdict>;
  readonly events: () => number;
}

type FillingProgress = GenerationProgress & { readonly events: number };

export async function fillingOf(around: Surroundings, generation: Generation): Promise<Filling> {
  const { projection, log, signal, onRetry } = around;
  const account = accountOf(around.store);
  const sample = sampleOf(projection);
  const end = await retry(() => log.end(), signal, onRetry);
  const { report, failed } = reporting(around, end);
  const attempted = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      failed();
      throw error;
    });
  const { place, catchUp, holdNothingBack } = applying(around, generation, account.store, (events) => {
    sample.see(events);
    report(place().events, place().position);
  });
  return {
    events: () => place().events,
    catchUp: async () => {
      await retry((progressed) => attempted(() => catchUp(progressed)), signal, onRetry);
      return place();
    },
    verify: async (served) => {
      const { events, ...progress } = place();
      const onProgress = (seen: number): void => {
        signal.throwIfAborted();
        report(events, progress.position, seen);
      };
      // What is marked in the one need not be in the other.
      const comparable = progress.marks.size === 0 && served?.marks.size === 0 ? served : null;
      const filled = { projection, progress, account, sample, served: comparable };
      const verdict = await attempted(() => verified({ log, store: around.store, onProgress }, filled));
      holdNothingBack();
      return verdict;
    },
  };
}

interface Applying {
  readonly place: () => FillingProgress;
  /** All there is in the log by now; all of it is in the store then. */
  readonly catchUp: (progressed: () => void) => Promise<void>;
  /** From now on, each batch is committed by itself: what is indexed takes long to write. */
  readonly holdNothingBack: () => void;
}

function applying(
  { projection, log, eventTypes, signal }: Surroundings,
  generation: Generation,
  store: ReadModelStore,
  onApplied: Sample['see'],
): Applying {
  const leftOut = typesWithoutUse(projection, eventTypes);
  const behind = writeBehind(store, projection.models);
  const recent = recentDocuments();
  let place: FillingProgress = { generation, position: null, event: null, marks: NO_MARKS, events: 0 };
  /** All up to it is in the store. */
  let written = place;
  /** A document of an event up to it, or of the batch after it, cannot be written: none is held back there. */
  let doubtful: Position | null | undefined;
  let holdsBack = true;
  /** Answers with what is left to apply. */
  const apply = async (batch: Applicable, progressed: () => void): Promise<Applicable | null> => {
    const isDoubtful = doubtful !== undefined && !isAfter(place.position, doubtful);
    const target = { store: isDoubtful || !holdsBack ? store : behind.store, projection, recent };
    const { poison, rest, position, event, marks, events } = await applyBatch(target, place, batch);
    if (poison !== null) throw new Poisoned(projection.name, poison);
    place = { generation, position, event, marks, events: place.events + events };
    if (behind.isEmpty()) written = place;
    onApplied([...batch.events, ...(batch.unsupported ?? [])].filter((one) => !isAfter(one.position, position)));
    progressed();
    // Live updates and requests of the same thread go first.
    await setImmediate();
    signal.throwIfAborted();
    return rest;
  };
  const catchUp = async (progressed: () => void): Promise<void> => {
    try {
      await assertHeld(log, projection.name, place);
      for await (const batch of batchesFor(projection, eventTypes, log.readAll(place.position, leftOut, signal))) {
        for (let rest: Applicable | null = batch; rest !== null;) rest = await apply(rest, progressed);
      }
      signal.throwIfAborted();
      await behind.flush();
      written = place;
    } catch (error) {
      if (!(error instanceof Unwritten)) throw error;
      [doubtful, place] = [place.position, { ...written, marks: marksUpTo(written.position, place.marks.values()) }];
      await catchUp(progressed);
    }
  };
  const holdNothingBack = (): void => {
    holdsBack = false;
  };
  return { place: () => place, catchUp, holdNothingBack };
}

/** How far a filling got. */
interface Furthest {
  readonly events: number;
  readonly position: string;
  /** Of the verification. */
  readonly seen: number;
}

const START: Furthest = { events: -1, position: '', seen: -1 };

const furthest = (one: Furthest, other: Furthest): Furthest => ({
  events: Math.max(one.events, other.events),
  position: one.position > other.position ? one.position : other.position,
  seen: Math.max(one.seen, other.seen),
});

const isFurther = (one: Furthest, other: Furthest): boolean =>
  one.events > other.events || one.position > other.position || one.seen > other.seen;

const shareOf = (log: Surroundings['log'], position: Position | null, end: Position | null): number =>
  end === null ? 1 : position === null ? 0 : log.fractionAt(position, end);

function reporting({ projection, log, onProgress }: Surroundings, end: Position | null) {
  const began = performance.now();
  /** Of the tries that failed, and of this one. */
  let [before, now]: [Furthest, Furthest] = [START, START];
  let isRepeated = false;
  /** After a try that got no further than those before, only what gets further is progress. */
  const failed = (): void => {
    isRepeated = !isFurther(now, before);
    [before, now] = [furthest(before, now), START];
  };
  const report = (events: number, position: Position | null, seen?: number): void => {
    now = furthest(now, { events, position: position ?? '', seen: seen ?? -1 });
    if (isRepeated && !isFurther(now, before)) return;
    const share = shareOf(log, position, end);
    const seconds = Math.max(0.001, (performance.now() - began) / 1000);
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
  return { report, failed };
}
