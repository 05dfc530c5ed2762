/** How a worker carries out rebuilds that others ask for; `composition/rebuild-polling` is how they ask. */
import { messageOf, retry } from '../../src/core/concurrency/retry.js';
import { type Runner } from '../engine/projection-runner.js';
import { type Notice } from '../engine/projector-reports.js';
import { type RebuildProgress } from '../engine/filling/filling.js';
import { type RebuildResult } from '../engine/rebuild.js';

/** A request for a rebuild, from any process. */
export interface RebuildRequest {
  /** All projections that are asked for at the same time, by name. */
  readonly together: readonly string[];
  progress(progress: RebuildProgress): Promise<void>;
  answer(result: RebuildResult): Promise<void>;
}

interface RebuildRequestsOptions {
  readonly projection: string;
  readonly runner: Pick<Runner, 'rebuild'>;
  /** The oldest request that is open; null when there is none. */
  readonly next: () => Promise<RebuildRequest | null>;
  readonly report: (notice: Notice) => void;
  /** Aborts when the projection is another worker's. */
  readonly over: AbortSignal;
}

export interface RebuildRequests {
  /** Begins the next rebuild unless one is under way. */
  readonly poll: () => Promise<void>;
  /** Resolves when none is under way any more. */
  readonly finished: () => Promise<void>;
}

export function rebuildRequests(options: RebuildRequestsOptions): RebuildRequests {
  let underWay: Promise<void> | null = null;
  return {
    poll: async () => {
      if (underWay !== null) return;
      const request = await options.next();
      if (request === null) return;
      underWay = carryOut(request, options).finally(() => {
        underWay = null;
      });
    },
    finished: async () => {
      await underWay;
    },
  };
}

/** If the lease ends first, there is no answer: an answer closes the request, and the next holder is to take it up. */
async function carryOut(
  request: RebuildRequest,
  { projection, runner, report, over }: RebuildRequestsOptions,
): Promise<void> {
  const onError = (error: unknown): void => {
    report({ type: 'troubled', projection, reason: messageOf(error), retryInMs: 0 });
  };
  let told: Promise<void> = Promise.resolve();
  let isTelling = false;
  const onProgress = (progress: RebuildProgress): void => {
    // Bounded, if there are many.
    if (isTelling) return;
    isTelling = true;
    told = request
      .progress(progress)
      .catch(onError)
      .finally(() => {
        isTelling = false;
      });
  };
  const result = await runner.rebuild(projection, onProgress, request.together);
  await told;
  if (result.outcome === 'failed' && over.aborted) return;
  const answer = (): Promise<void> => request.answer(result);
  // Once at least: without it, what is done would be begun again.
  await answer().catch(() => retry(answer, over, onError).catch(onError));
}
