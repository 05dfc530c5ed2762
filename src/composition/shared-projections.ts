/** The projections of a service whose read models several processes share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyProjection } from '../../projections/engine/generation-progress.js';
import { assertHeld, NotHeld } from '../../projections/engine/held-event.js';
import { initialStatus, transition, type ProjectionStatus } from '../../projections/engine/projection-status.js';
import { unknownProjection, type RemoteProjection } from '../../projections/health/cluster-health.js';
import { type Projections } from '../../projections/engine/projections.js';
import { retry } from '../core/concurrency/retry.js';
import { type EventReader } from '../core/event-log.js';
import { NO_MARKS } from '../core/marks.js';
import { type Checkpoint } from '../core/projection.js';
import { type ReadModels } from '../core/read-models.js';
import { askForRebuild, type RebuildPolling } from './rebuild-polling.js';

export interface SharedProjectionsOptions extends RebuildPolling {
  readonly projections: readonly AnyProjection[];
  readonly log: EventReader;
  readonly readModels: Pick<ReadModels, 'caughtUp'>;
  /** Resolves when this process runs none of them any more. */
  readonly finished: () => Promise<void>;
}

const LOOK_EVERY_MS = 200;
const PATIENCE_MS = 1000;

export function sharedProjections(options: SharedProjectionsOptions): Projections {
  const { projections, signal, finished } = options;
  const names = projections.map(({ name }) => name);
  const underway = new Set<Promise<unknown>>();
  const ready = prepared(options).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    names,
    ready,
    status: () => Promise.resolve(projections.map((projection) => statusOf(projection, remoteOf(projection, options)))),
    rebuild: (projection, onProgress, together) => {
      const rebuilding = askForRebuild(options, { projection, together }, onProgress);
      underway.add(rebuilding);
      return rebuilding.finally(() => underway.delete(rebuilding));
    },
    close: async () => {
      await finished();
      await Promise.allSettled(underway);
    },
  };
}

async function prepared({
  projections,
  log,
  readModels,
  look,
  onRetry,
  signal,
}: SharedProjectionsOptions): Promise<void> {
  const end = await retry(() => log.end(), signal, onRetry);
  const isReady = async (projection: AnyProjection): Promise<boolean> => {
    const { name, version } = projection;
    const { served, report } = remoteOf(projection, { look });
    if (report !== null && report.status.stop !== null) return true;
    if (served?.version !== version) return false;
    if (end !== null && !(await readModels.caughtUp(name, end, PATIENCE_MS))) return false;
    return retry(() => isHeld(log, name, served), signal, onRetry);
  };
  await Promise.all(
    projections.map(async (projection) => {
      while (!(await isReady(projection))) await sleep(LOOK_EVERY_MS, undefined, { signal });
    }),
  );
}

/** What a worker is about to withdraw is not served either by those that only read. */
async function isHeld(log: EventReader, projection: string, served: Checkpoint): Promise<boolean> {
  try {
    await assertHeld(log, projection, served);
    return true;
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error;
    return false;
  }
}

function remoteOf({ name }: AnyProjection, { look }: Pick<SharedProjectionsOptions, 'look'>): RemoteProjection {
  return look().find(({ projection }) => projection === name) ?? unknownProjection(name);
}

function statusOf(projection: AnyProjection, { served, report, isHeld }: RemoteProjection): ProjectionStatus {
  if (!isHeld) return transition(untoldStatus(projection, served), NOBODY);
  if (report === null) return untoldStatus(projection, served);
  return served === null ? report.status : transition(report.status, { type: 'seen', reached: served });
}

const NOBODY = { type: 'unattended', reason: 'no worker keeps it up to date' } as const;

function untoldStatus(projection: AnyProjection, served: RemoteProjection['served']): ProjectionStatus {
  if (served === null) return initialStatus(projection);
  const { version, ...reached } = served;
  const progress = { ...reached, marks: NO_MARKS };
  return transition(initialStatus({ ...projection, version }), { type: 'served', progress });
}
