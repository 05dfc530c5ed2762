/** The stores of a service, of either kind. */
import { type Logger } from 'pino';
import { type Projections } from '../../projections/engine/projections.js';
import { type Unreachable } from '../../projections/health/reachability.js';
import { type UnhealthyProjection } from '../../projections/health/local-health.js';
import { type BlobStore } from '../core/blob-store.js';
import { messageOf } from '../core/concurrency/retry.js';
import { type Clock } from '../core/clock.js';
import { type EventLog } from '../core/event-log.js';
import { type ExpiringCounters } from '../core/expiring-counters.js';
import { type FailingWorkRegister } from '../core/recovery/failing-work.js';
import { type ReadModels } from '../core/read-models.js';
import { namesBytes } from '../files/held-bytes.js';
import { directoryBlobStore } from '../stores/filesystem/blob-store.js';
import { type Pace } from '../stores/sqlite/event-log/pace.js';

export interface Stores {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly blobs: BlobStore;
  readonly counters: ExpiringCounters;
  readonly failingWork: FailingWorkRegister;
  readonly projections: Projections;
  /** Of the projections, where they run beside this thread. */
  readonly pace?: Pace;
  /** Where other processes write: resolves once definitions are not older than what these have answered. */
  readonly definitionsUpToDate?: () => Promise<void>;
  /** Projections that do not go on right now. */
  readonly unhealthy: () => readonly UnhealthyProjection[];
  /** Projections of which readers see nothing: never filled, or withdrawn. What needs them is answered 503. */
  readonly unserved: () => readonly string[];
  /** Servers of the stores that this process is cut off from. Another one may still reach them. */
  readonly unreachable: () => readonly Unreachable[];
  /**
   * Does the work while no other work of that name runs, in this process or another. `lost` aborts once another process
   * may do such work. The wait for other processes ends once `ended` aborts. Throws LeaseRefused.
   */
  withLease<T>(name: string, work: (lost: AbortSignal) => Promise<T>, ended?: AbortSignal): Promise<T>;
  /** Commits what is under way and lets go of the stores. */
  readonly close: () => Promise<void>;
}

export interface StoresOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A thread of the service has died, and its work has stopped. */
  readonly onFailed: (error: Error) => void;
}

export const leftoverLog =
  (logger: Logger) =>
  (error: unknown): void => {
    logger.warn({ reason: messageOf(error) }, 'leftover of an upload not removed');
  };

/** Warns of a directory that is away: until it is back, only requests for bytes are refused. */
export function blobsIn(
  filesDir: string,
  log: EventLog,
  { clock, logger }: Pick<StoresOptions, 'clock' | 'logger'>,
): Promise<BlobStore> {
  return directoryBlobStore(filesDir, clock, {
    hasBytes: () => namesBytes(log),
    onAway: (reason) => {
      logger.warn({ filesDir }, reason);
    },
    onLeft: leftoverLog(logger),
  });
}
