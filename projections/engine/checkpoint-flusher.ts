import { type ReadModelStore } from '../../src/core/projection.js';
import { type Target } from './target.js';

export interface SavingOptions {
  readonly store: Pick<ReadModelStore, 'commit'>;
  /** The run that is served, as far as it is by now. */
  readonly target: () => Target | null;
  /** Whether a commit is under way anyway. */
  readonly isBusy: () => boolean;
  readonly everyMs: number;
  readonly onTrouble: (error: unknown) => void;
}

/** Sees to positions that no commit of documents takes to the store: those of events that changed nothing. */
export interface Saving {
  /** The store is to have the target's position within a while. */
  readonly later: () => void;
  readonly now: () => Promise<void>;
  /** The store has it. */
  readonly done: () => void;
  /** Saves what is left. Where that fails, the next start looks at some events again. */
  readonly end: () => Promise<void>;
}

export function saving({ store, target, isBusy, everyMs, onTrouble }: SavingOptions): Saving {
  let isUnsaved = false;
  let hasEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const now = async (): Promise<void> => {
    const saved = target();
    if (!isUnsaved || saved === null) return;
    const { projection, run, position, event } = saved;
    isUnsaved = false;
    try {
      await store.commit(projection.name, run, [], { version: projection.version, position, event });
    } catch (error) {
      isUnsaved = true;
      throw error;
    }
  };
  const attempt = (): Promise<void> =>
    now().catch((error: unknown) => {
      onTrouble(error);
      // No event may come for long that would have it tried again.
      if (!hasEnded) later();
    });
  const later = (): void => {
    isUnsaved = true;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!isUnsaved) return;
      if (isBusy()) later();
      else void attempt();
    }, everyMs);
  };
  return {
    later,
    now,
    done: () => {
      isUnsaved = false;
    },
    end: () => {
      hasEnded = true;
      clearTimeout(timer);
      return attempt();
    },
  };
}
