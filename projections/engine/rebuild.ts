import { StoreFault, type Generation } from '../../src/core/projection.js';
import { PermanentError, messageOf, retry } from '../../src/core/concurrency/retry.js';
import { fillingOf, type Surroundings } from './filling/filling.js';
import { type GenerationProgress } from './generation-progress.js';

export type RebuildResult =
  | {
      readonly outcome: 'served';
      readonly projection: string;
      readonly generation: Generation;
      readonly events: number;
      readonly milliseconds: number;
      /** In what it differs from the generation that was served before, in words. */
      readonly differences: readonly string[];
    }
  /** The generation that was served before still is. */
  | { readonly outcome: 'failed'; readonly projection: string; readonly reason: string };

/** A generation, and what it took to fill it. */
export interface FilledGeneration {
  readonly progress: GenerationProgress;
  readonly events: number;
  /** In what it differs from the generation that was served before, in words. */
  readonly differences: readonly string[];
}

/** A store with a fault need not remove a generation, however often it is tried. */
const FAULTY = { patienceMs: 10_000 };

/**
 * Fills a new generation from the start of the log, verifies it, catches up and serves it. `served` is the one that is
 * served until now, if it is of the same version; `whilePaused` holds its live updates while the last events are applied
 * and the generations are switched. The generation of a filling that fails is discarded; an interrupted one, and one that
 * a store with a fault does not remove, is left to the store's next start.
 */
export async function fillAndServe(
  around: Surroundings,
  whilePaused: (work: () => Promise<GenerationProgress>) => Promise<GenerationProgress>,
  served: () => GenerationProgress | null,
): Promise<FilledGeneration> {
  const { store, signal, onRetry } = around;
  const { name, models, version } = around.projection;
  const generation = await retry(() => store.open(name, models, version), signal, onRetry);
  const filling = await fillingOf(around, generation);
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
    if (signal.aborted) throw error;
    if (!(error instanceof StoreFault)) await retry(discard, signal, onRetry);
    else await retry(discard, signal, onRetry, FAULTY).catch(() => undefined);
    throw error;
  }
}

/** As an answer for the one who asked for it. */
export async function rebuilt(projection: string, work: () => Promise<FilledGeneration>): Promise<RebuildResult> {
  const started = performance.now();
  try {
    const { progress, events, differences } = await work();
    const milliseconds = performance.now() - started;
    return { outcome: 'served', projection, generation: progress.generation, events, milliseconds, differences };
  } catch (error) {
    return { outcome: 'failed', projection, reason: messageOf(error) };
  }
}
