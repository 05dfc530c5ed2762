import { type ReadModelStore } from '../../src/core/projection.js';
import { type OnRetry } from '../../src/core/concurrency/retry.js';
import { type AnyProjection, type GenerationProgress } from './generation-progress.js';

export interface CheckpointFlusherOptions {
  readonly store: Pick<ReadModelStore, 'commit'>;
  readonly projection: Pick<AnyProjection, 'name' | 'version'>;
  /** The generation that is served, as far as it is by now. */
  readonly served: () => GenerationProgress | null;
  /** Whether a commit, or a switch of generations, is under way. */
  readonly isBusy: () => boolean;
  readonly everyMs: number;
  readonly onRetry: OnRetry;
}

/** Sees to positions that no commit of documents takes to the store: those of events that changed nothing. */
export interface CheckpointFlusher {
  /** The store is to have the generation's position within a while. */
  readonly schedule: () => void;
  readonly flush: () => Promise<void>;
  /** The store has it. */
  readonly flushed: () => void;
  /** Resolves once no saving is under way. */
  readonly settled: () => Promise<void>;
  /** Saves what is left, once nothing is under way. Where that fails, the next start looks at some events again. */
  readonly end: () => Promise<void>;
}

export function checkpointFlusher(options: CheckpointFlusherOptions): CheckpointFlusher {
  const { store, projection, served, isBusy, everyMs, onRetry } = options;
  let isUnsaved = false;
  let hasEnded = false;
  let timer: NodeJS.Timeout | undefined;
  let underWay = Promise.resolve();
  const flush = async (): Promise<void> => {
    const saved = served();
    if (!isUnsaved || saved === null) return;
    const { generation, position, event } = saved;
    isUnsaved = false;
    try {
      await store.commit(projection.name, generation, [], { version: projection.version, position, event });
    } catch (error) {
      isUnsaved = true;
      throw error;
    }
  };
  const attempt = (): Promise<void> =>
    flush().catch((error: unknown) => {
      onRetry(error, 0);
      // No event may come for long that would have it tried again.
      if (!hasEnded) schedule();
    });
  const schedule = (): void => {
    isUnsaved = true;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!isUnsaved) return;
      if (isBusy()) schedule();
      else underWay = attempt();
    }, everyMs);
  };
  return {
    schedule,
    flush,
    flushed: () => {
      isUnsaved = false;
    },
    settled: () => underWay,
    end: async () => {
      hasEnded = true;
      clearTimeout(timer);
      await underWay;
      await attempt();
    },
  };
}
