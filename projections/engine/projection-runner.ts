import { type EventRegistry } from '../../src/core/event-types.js';
import { type ReadModelStore } from '../../src/core/projection.js';
import { type AnyProjection } from './generation-progress.js';
import { type Notice, type ProjectionsLog } from './projector-reports.js';
import { withFirstMarks, type ProjectionStatus } from './projection-status.js';
import { projector } from './projector.js';
import { type RebuildProgress } from './filling/filling.js';
import { type RebuildResult } from './rebuild.js';
import { messageOf, retry } from '../../src/core/concurrency/retry.js';

export interface RunnerOptions {
  readonly projections: readonly AnyProjection[];
  readonly log: ProjectionsLog;
  /** A stream with an event that it does not know is marked by the projections that make something of the stream. */
  readonly eventTypes: EventRegistry;
  readonly store: ReadModelStore;
  /**
   * Whether the read models were made from this log, or from a newer state of it. If not, or if the log is empty, the
   * read models are left unchanged.
   */
  readonly isOwnLog: () => Promise<boolean>;
  /** Receives notices in the order of events. A notice is plain data, so it can go to another thread. */
  readonly report: (notice: Notice) => void;
  /** How late the position of events without changes is saved. Everything else is saved at once. */
  readonly saveEveryMs?: number;
  readonly signal: AbortSignal;
}

/** Enough where `report` gives readers the positions. */
const SAVE_EVERY_MS = 1000;

export interface Runner {
  /** Resolves when every projection reflects the log as it was at the start, or has stopped. */
  readonly ready: Promise<void>;
  /** The same of the log as it is when it is called. */
  readonly caughtUp: () => Promise<void>;
  /** Resolves once the signal has aborted and all use of the log and the store has ended. */
  readonly finished: Promise<void>;
  readonly status: () => readonly ProjectionStatus[];
  /**
   * Fills the projection's read models anew beside those that are served, and switches when they are as far. All that
   * are rebuilt `together` read the log together.
   */
  readonly rebuild: (
    projection: string,
    onProgress?: (progress: RebuildProgress) => void,
    together?: readonly string[],
  ) => Promise<RebuildResult>;
}

/** Keeps the read models of these projections up to date, each at its own pace. Nothing else may write them. */
export function runProjections({ projections, log, store, report, signal, ...options }: RunnerOptions): Runner {
  const { eventTypes, isOwnLog, saveEveryMs = SAVE_EVERY_MS } = options;
  const ports = { log, eventTypes, store, signal };
  const projectors = new Map(
    projections.map((projection) => [projection.name, projector({ projection, ports, isOwnLog, report, saveEveryMs })]),
  );
  const running = [...projectors.values()].map((one) => one.run());
  const reachEnd = async (): Promise<void> => {
    const end = await retry(
      () => log.end(),
      signal,
      (error, retryInMs) => {
        report({ type: 'troubled', projection: '', reason: messageOf(error), retryInMs });
      },
    );
    await Promise.all([...projectors.values()].map((one) => one.reached(end)));
  };
  const caughtUp = (): Promise<void> =>
    reachEnd().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  return {
    ready: caughtUp(),
    caughtUp,
    finished: Promise.all(running).then(() => undefined),
    status: () => [...projectors.values()].map((one) => withFirstMarks(one.status())),
    rebuild: async (projection, onProgress = () => undefined, together = [projection]) => {
      const one = projectors.get(projection);
      if (one === undefined) return { outcome: 'failed', projection, reason: `There is no projection ${projection}` };
      const result = await one.rebuild(onProgress, together);
      const differences = result.outcome === 'served' ? result.differences : [];
      if (differences.length > 0) report({ type: 'differed', projection, reason: differences.join('; ') });
      return result;
    },
  };
}
