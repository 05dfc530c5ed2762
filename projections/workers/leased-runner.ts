import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventReader } from '../../src/core/event-log.js';
import { type EventRegistry } from '../../src/core/event-types.js';
import { type Lease } from '../../src/core/lease.js';
import { type ReadModelStore } from '../../src/core/projection.js';
import { type AnyProjection } from '../engine/generation-progress.js';
import { type Notice, type ProjectionsLog } from '../engine/projector-reports.js';
import { storedStatus } from '../engine/projection-status.js';
import { passes } from '../../src/core/concurrency/pause.js';
import { messageOf } from '../../src/core/concurrency/retry.js';
import { sharedReader } from './shared-reader.js';
import { runProjections, type Runner } from '../engine/projection-runner.js';
import { type Report } from '../health/cluster-health.js';
import { type UnhealthyProjection } from '../health/local-health.js';
import { rebuildRequests, type RebuildRequest } from './rebuild-requests.js';

/** How workers share the projections out among them. */
export interface Coordination {
  /** Waits until no other worker has the projection. */
  acquire(projection: string, signal: AbortSignal): Promise<Lease>;
  /** A store that writes only while this token is the newest. */
  store(projection: string, token: number): ReadModelStore;
  publishStatus(projection: string, token: number, report: Report): Promise<void>;
  /** The oldest request without an answer that no newer holder has taken; null without one. */
  nextRebuildRequest(projection: string, token: number): Promise<RebuildRequest | null>;
}

export interface LeasedOptions {
  readonly projections: readonly AnyProjection[];
  readonly log: EventReader;
  readonly eventTypes: EventRegistry;
  readonly isOwnLog: () => Promise<boolean>;
  readonly coordination: Coordination;
  readonly report: (notice: Notice) => void;
  readonly unhealthy: () => readonly UnhealthyProjection[];
  readonly signal: AbortSignal;
}

/** How often a worker publishes its status and polls for requests of rebuilds. */
const PUBLISH_EVERY_MS = 1000;
/** Readers in other processes poll the stored position, so it is saved sooner. */
const SAVE_EVERY_MS = 200;

/** A process has 10 seconds for its end. A lease that is not released by then expires by itself. */
const ENDS_WITHIN_MS = 3000;

/**
 * Keeps those projections up to date that no other worker has. Resolves after the signal has aborted, when nothing
 * uses the log and the stores any more: some seconds later if a server does not answer. What is written later still
 * names the token of its lease.
 */
export async function runLeased(options: LeasedOptions): Promise<void> {
  const { projections, eventTypes, signal } = options;
  const log = sharedReader(options.log, projections, eventTypes);
  const running = Promise.all(projections.map((projection) => runOne({ ...options, log }, projection)));
  await Promise.race([running, overdue(signal)]);
}

async function overdue(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  await sleep(ENDS_WITHIN_MS, undefined, { ref: false });
}

type Running = LeasedOptions & { readonly log: ProjectionsLog };

async function runOne(options: Running, projection: AnyProjection): Promise<void> {
  const { coordination, signal } = options;
  while (!signal.aborted) {
    const lease = await coordination.acquire(projection.name, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return null;
    });
    if (lease !== null) await whileHeld(options, projection, lease);
  }
}

async function whileHeld(options: Running, projection: AnyProjection, lease: Lease): Promise<void> {
  const { log, eventTypes, isOwnLog, coordination, report } = options;
  const over = AbortSignal.any([options.signal, lease.lost]);
  const runner = runProjections({
    projections: [projection],
    log,
    eventTypes,
    isOwnLog,
    store: coordination.store(projection.name, lease.token),
    report,
    saveEveryMs: SAVE_EVERY_MS,
    signal: over,
  });
  const supervised = supervise(options, projection, lease, runner, over);
  await runner.finished;
  await supervised;
  await lease.release();
  if (lease.lost.aborted) {
    const reason = messageOf(lease.lost.reason);
    report({ type: 'lost', projection: projection.name, reason });
  }
}

/** Tells how the projection is doing, and begins the rebuilds that are asked for. */
async function supervise(
  { coordination, unhealthy, report }: LeasedOptions,
  { name }: AnyProjection,
  { token }: Lease,
  runner: Runner,
  over: AbortSignal,
): Promise<void> {
  const next = () => coordination.nextRebuildRequest(name, token);
  const rebuilds = rebuildRequests({ projection: name, runner, next, report, over });
  let published = '';
  const look = async (): Promise<void> => {
    const [status] = runner.status();
    if (status === undefined) return;
    const held = unhealthy().find(({ projection }) => projection === name) ?? null;
    const now = JSON.stringify([storedStatus(status), held]);
    if (now !== published) await coordination.publishStatus(name, token, { status, heldUp: held });
    published = now;
    await rebuilds.poll();
  };
  while (!over.aborted) {
    await look().catch((error: unknown) => {
      if (!over.aborted)
        report({ type: 'troubled', projection: name, reason: messageOf(error), retryInMs: PUBLISH_EVERY_MS });
    });
    await passes(PUBLISH_EVERY_MS, over);
  }
  await rebuilds.finished();
}
