/** The projections of the stores on servers: one process runs each of them, and all of them see how far it is. */
import { all } from '../../projections/all.js';
import { eventTypes } from '../../projections/event-types.js';
import { clusterHealth, type RemoteProjection } from '../../projections/health/cluster-health.js';
import { localHealth } from '../../projections/health/local-health.js';
import { runLeased } from '../../projections/workers/leased-runner.js';
import { type Role } from '../config/server-config.js';
import { type Disposables } from '../core/concurrency/disposables.js';
import { steadyClock } from '../core/clock.js';
import { passes } from '../core/concurrency/pause.js';
import { type EventReader, type Position } from '../core/event-log.js';
import { type MongoDatabase } from '../stores/mongodb/connection.js';
import { LEASE_TIMING } from '../stores/mongodb/leases.js';
import { type MongoReadModels } from '../stores/mongodb/read-models/reader.js';
import { type ProjectionState } from '../stores/mongodb/read-models/state.js';
import { projectionIds } from '../stores/mongodb/projection-ids.js';
import { mongoRebuildRequests } from '../stores/mongodb/rebuild-requests.js';
import { coordination, reportIn } from './coordination.js';
import { noticeLog, type OnServerFailure } from './rate-limited-log.js';
import { sharedProjections } from './shared-projections.js';
import { type Stores, type StoresOptions } from './stores.js';

/** If the last poll is older than this, the state is reported as unknown. */
const LOOK_OVERDUE_MS = 3000;
const LOOK_EVERY_MS = 500;
const LOG_EVERY_MS = 2000;
/** Longer than a worker with its lease is ever silent. */
const SILENCE_MS = LEASE_TIMING.lasts + LEASE_TIMING.renewedEvery;

/** Only the versions of this release: those of other releases are invisible here. */
export const PROJECTION_IDS = projectionIds(all);

export interface ConnectedServers {
  readonly log: EventReader;
  readonly db: MongoDatabase['db'];
  readonly readModels: MongoReadModels;
  /** MongoDB's clock is ahead of this process's by so much. */
  readonly aheadMs: number;
  readonly isOwnLog: () => Promise<boolean>;
  readonly onRetry: OnServerFailure;
}

/** Runs the projections that no other process runs, unless the role is another, and watches them all. */
export function projecting(
  { role, logger }: Pick<StoresOptions, 'logger'> & { readonly role: Role },
  { log, db, readModels, aheadMs, isOwnLog, onRetry }: ConnectedServers,
  stopping: AbortController,
  opened: Disposables,
): Pick<Stores, 'projections' | 'unhealthy' | 'unserved' | 'unreachable'> {
  const { signal } = stopping;
  const requests = mongoRebuildRequests(db, PROJECTION_IDS);
  const health = localHealth(steadyClock);
  const reported = noticeLog(logger);
  const running =
    role === 'api'
      ? Promise.resolve()
      : runLeased({
          projections: all,
          log,
          eventTypes,
          isOwnLog,
          coordination: coordination({ db, ids: PROJECTION_IDS, requests, onError: onRetry }),
          report: (notice) => {
            health.notice(notice);
            if (notice.type === 'progress') readModels.notice(notice);
            else reported(notice);
          },
          unhealthy: health.unhealthy,
          signal,
        });
  const remotesIn = (states: readonly ProjectionState[]): readonly RemoteProjection[] => {
    const by = Date.now() - (steadyClock().getTime() - readModels.followedAt().getTime()) + aheadMs;
    return states.map((state) => remoteProjectionOf(state, by));
  };
  const { look, logEnds, ...watched } = clusterHealth({
    names: all.map(({ name }) => name),
    look: () => ({ remotes: remotesIn(readModels.states()), at: readModels.followedAt() }),
    clock: steadyClock,
    silenceMs: SILENCE_MS,
    overdueMs: LOOK_OVERDUE_MS,
  });
  const timer = setInterval(look, LOOK_EVERY_MS);
  const watching = endsOf(log, logEnds, signal);
  const finished = async (): Promise<void> => {
    clearInterval(timer);
    stopping.abort();
    await Promise.all([running, watching]);
  };
  const shared = { look: () => remotesIn(readModels.followed()), onRetry, signal, finished };
  const projections = sharedProjections({ projections: all, log, readModels, requests, ...shared });
  opened.add(() => projections.close());
  return { projections, ...watched, unserved: () => unservedOf(projections.names, readModels.followed()) };
}

function unservedOf(names: readonly string[], states: readonly ProjectionState[]): readonly string[] {
  const served = states.filter((state) => state.served !== null);
  return names.filter((name) => !served.some(({ projection }) => projection === name));
}

/** While the log is away, its end is unknown; the last known end is used. */
async function endsOf(
  log: EventReader,
  tell: (end: Position | null, asked: Date) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const asked = steadyClock();
    await log.end().then(
      (end) => {
        tell(end, asked);
      },
      () => undefined,
    );
    await passes(LOG_EVERY_MS, signal);
  }
}

/**
 * As of a time of MongoDB's clock: a worker that was killed leaves its lease behind. A new expiry, or another holder, is a
 * sign of life.
 */
function remoteProjectionOf(state: ProjectionState, by: number): RemoteProjection {
  const { projection, token, served, lease, status } = state;
  const heartbeat = lease === null ? null : `${token} ${lease.expiresAt.toISOString()}`;
  const isHeld = lease !== null && lease.expiresAt.getTime() > by;
  return { projection, heartbeat, isHeld, served, report: reportIn(status) };
}
