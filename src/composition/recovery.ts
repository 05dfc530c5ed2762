/** Resumes what crashes have cut off, again and again. Of all processes over one log, one does it at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Stores } from './stores.js';
import { type Clock } from '../core/clock.js';
import { passes, within } from '../core/concurrency/pause.js';
import { messageOf, pauseAfter, retry } from '../core/concurrency/retry.js';
import { type FailingItem } from '../core/recovery/failing-work.js';
import { type Interrupted, type InterruptedWork } from '../core/recovery/interrupted-work.js';

export interface RecoveryOptions {
  readonly work: readonly InterruptedWork[];
  readonly stores: Pick<Stores, 'log' | 'readModels' | 'withLease' | 'failingWork'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly everyMs?: number;
  /** How long a round waits for one step. */
  readonly patienceMs?: number;
}

export interface Recovery {
  /** Resolves when nothing of it runs any more, or after a while. */
  stop(): Promise<void>;
}

const EVERY_MS = 30_000;
/** Younger work is probably still running. Correctness does not depend on it: each item is fenced by its stream. */
const OVERDUE_MS = 30_000;
/** Between two tries of an item that fails, at most. */
const LONGEST_BACK_OFF_MS = 60 * 60 * 1000;
/** What takes longer counts as failed, though it may still come to its end: nothing that hangs delays other work. */
const STEP_MS = 60_000;
/** For what is under way at the end. */
const PATIENCE_MS = 2000;
const LEASE = 'recovery';
/** Bounds of the report to operators: items, and characters of a reason. */
const MAX_PUBLISHED = 20;
const MAX_REASON = 500;

export function recovery(options: RecoveryOptions): Recovery {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = run(options, signal);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.race([running, sleep(PATIENCE_MS, undefined, { ref: false })]);
    },
  };
}

/** One process keeps the lease from round to round; others wait for it. */
async function run(options: RecoveryOptions, signal: AbortSignal): Promise<void> {
  const { stores, logger, everyMs = EVERY_MS } = options;
  const round = recoveryRound(options);
  const whileHeld = (): Promise<void> =>
    stores.withLease(LEASE, async (lost) => {
      const until = AbortSignal.any([signal, lost]);
      do await round(until);
      while (await passes(everyMs, until));
    });
  const interrupted = (error: unknown): void => {
    logger.warn({ err: error }, 'recovery interrupted, retrying');
  };
  try {
    for (;;) await retry(whileHeld, signal, interrupted, { firstPauseMs: everyMs, longestPauseMs: everyMs });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Failing {
  readonly report: FailingItem;
  /** On the clock of `performance`. */
  readonly notBefore: number;
}

/** Resumes every overdue item once. One that fails waits longer each time, and none waits for another. */
function recoveryRound(options: RecoveryOptions): (signal: AbortSignal) => Promise<void> {
  const { work, clock, logger, patienceMs = STEP_MS } = options;
  const failing = new Map<string, Failing>();
  const underWay = new Map<string, Promise<boolean>>();
  /** One that still hangs since an earlier round is not begun again. */
  const resumedOnce = (name: string, item: Interrupted): Promise<boolean> => {
    const resuming = underWay.get(name) ?? item.resume().finally(() => underWay.delete(name));
    underWay.set(name, resuming);
    return within(patienceMs, resuming);
  };
  const attempt = async (what: string, item: Interrupted, signal: AbortSignal): Promise<boolean> => {
    const name = `${what} ${item.id}`;
    const last = failing.get(name);
    if (last !== undefined && performance.now() < last.notBefore) return false;
    try {
      const resumed = await resumedOnce(name, item);
      failing.delete(name);
      return resumed;
    } catch (error) {
      if (signal.aborted) return false;
      const { retryInMs, report } = failure(options, { what, item, error }, last?.report);
      failing.set(name, { report, notBefore: performance.now() + retryInMs });
      const facts = { err: error, what, item: item.id, failures: report.failures, retryInMs };
      logger.error(facts, 'interrupted work failed, retrying');
      return false;
    }
  };
  const resumeAll = async (kind: InterruptedWork, signal: AbortSignal): Promise<void> => {
    const items = await found(kind, options, new Date(clock().getTime() - OVERDUE_MS), signal);
    if (items === null) return;
    forget(failing, kind.what, items);
    let count = 0;
    for (const item of items) {
      if (signal.aborted) return;
      if (await attempt(kind.what, item, signal)) count += 1;
    }
    if (count > 0) logger.warn({ what: kind.what, count }, 'resumed interrupted work');
  };
  return async (signal) => {
    for (const kind of work) {
      if (signal.aborted) return;
      await resumeAll(kind, signal);
    }
    const reports = [...failing.values()].map(({ report }) => report);
    if (!signal.aborted) await publish(options, reports, signal);
  };
}

function failure(
  { clock, everyMs = EVERY_MS }: RecoveryOptions,
  { what, item, error }: { readonly what: string; readonly item: Interrupted; readonly error: unknown },
  last: FailingItem | undefined,
): { readonly report: FailingItem; readonly retryInMs: number } {
  const now = clock();
  const before = last ?? { failures: item.triedAt === undefined ? 0 : 1, since: item.triedAt ?? now.toISOString() };
  const failures = before.failures + 1;
  const retryInMs = pauseAfter(failures, { firstPauseMs: everyMs, longestPauseMs: LONGEST_BACK_OFF_MS });
  const report = {
    what,
    item: item.id,
    reason: messageOf(error).slice(0, MAX_REASON),
    failures,
    since: before.since,
    nextTry: new Date(now.getTime() + retryInMs).toISOString(),
  };
  return { report, retryInMs };
}

/** Written after every round, changed or not, so that a late write of a worker without the lease is soon replaced. */
async function publish(
  { stores, logger, patienceMs = STEP_MS }: RecoveryOptions,
  failing: readonly FailingItem[],
  signal: AbortSignal,
): Promise<void> {
  try {
    const items = failing.slice(0, MAX_PUBLISHED);
    await within(patienceMs, stores.failingWork.publish({ count: failing.length, items }));
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, 'failing items of interrupted work could not be stored');
  }
}

/** Null if it is not known, or once the signal aborts. While the read model is behind, what it lists may be done. */
async function found(
  kind: InterruptedWork,
  { stores, logger, patienceMs = STEP_MS }: RecoveryOptions,
  before: Date,
  signal: AbortSignal,
): Promise<readonly Interrupted[] | null> {
  const { what, projection } = kind;
  const look = async (): Promise<readonly Interrupted[] | null> => {
    const end = await stores.log.end();
    if (end === null) return [];
    return (await stores.readModels.caughtUp(projection, end)) ? kind.find(before) : null;
  };
  try {
    const items = await within(patienceMs, look(), signal);
    if (items === null) logger.warn({ what, projection }, 'read model behind, recovery skipped');
    return items;
  } catch (error) {
    if (!signal.aborted) logger.error({ err: error, what }, 'interrupted work could not be read');
    return null;
  }
}

/** Items that are not left undone any more need no back-off. */
function forget(failing: Map<string, Failing>, what: string, items: readonly Interrupted[]): void {
  const present = new Set(items.map(({ id }) => `${what} ${id}`));
  for (const name of failing.keys()) if (name.startsWith(`${what} `) && !present.has(name)) failing.delete(name);
}
