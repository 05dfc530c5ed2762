/**
 * How a process requests a rebuild from the worker of another process: it stores a request, and polls for the answer.
 * The worker's half is `projections/workers/rebuild-requests`.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RebuildProgress } from '../../projections/engine/filling/filling.js';
import { type RebuildResult } from '../../projections/engine/rebuild.js';
import { type RemoteProjection } from '../../projections/health/cluster-health.js';
import { messageOf, retry } from '../core/concurrency/retry.js';
import { type Rebuild, type Requests } from '../stores/mongodb/rebuild-requests.js';

export interface RebuildPolling {
  readonly requests: Requests;
  /** As of a moment ago. */
  readonly look: () => readonly RemoteProjection[];
  readonly onRetry: (error: unknown, retryInMs: number) => void;
  /** Aborts when the service ends. */
  readonly signal: AbortSignal;
}

const POLL_EVERY_MS = 200;
/** Workers begin no rebuild whose request was not renewed for several times this long. */
const RENEW_EVERY_MS = 5000;
/** Without a worker for this long, the wait for a rebuild ends. */
const UNATTENDED_MS = 30_000;
/** How long MongoDB may be away during the wait. The workers continue the rebuild, or begin it again. */
const AWAY_MS = 60_000;

/** Requests a rebuild from the worker that has the lease, and waits for the answer. */
export async function askForRebuild(
  options: RebuildPolling,
  rebuild: Rebuild,
  onProgress: (progress: RebuildProgress) => void,
): Promise<RebuildResult> {
  const { requests } = options;
  const id = randomUUID();
  await whileAway(options, () => requests.ask(rebuild, id));
  const renewing = setInterval(() => {
    requests.renew(id).catch(() => undefined);
  }, RENEW_EVERY_MS);
  try {
    return await answerTo(options, rebuild.projection, id, onProgress);
  } finally {
    clearInterval(renewing);
    // One that is left behind is removed with those that are overdue.
    await requests.remove(id).catch(() => undefined);
  }
}

async function answerTo(
  options: RebuildPolling,
  projection: string,
  id: string,
  onProgress: (progress: RebuildProgress) => void,
): Promise<RebuildResult> {
  const { requests, look, signal } = options;
  const failed = (reason: string): RebuildResult => ({ outcome: 'failed', projection, reason });
  let attended = performance.now();
  let told = '';
  for (;;) {
    const { isThere, progress, answer } = await whileAway(options, () => requests.look(id));
    if (answer !== undefined) return answer as RebuildResult;
    if (!isThere) return failed('its request was removed from MongoDB');
    const now = JSON.stringify(progress);
    if (progress !== undefined && now !== told) onProgress(progress as RebuildProgress);
    told = now;
    if (look().some((one) => one.projection === projection && one.isHeld)) attended = performance.now();
    if (performance.now() - attended > UNATTENDED_MS) return failed('no worker keeps it up to date');
    await sleep(POLL_EVERY_MS, undefined, { signal });
  }
}

/** Retries while MongoDB does not answer, as during an election, until patience is over. */
async function whileAway<T>({ signal, onRetry }: RebuildPolling, work: () => Promise<T>): Promise<T> {
  try {
    return await retry(work, signal, onRetry, { patienceMs: AWAY_MS });
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = `MongoDB has not answered for ${AWAY_MS / 1000} s: ${messageOf(error)}`;
    throw new Error(`${reason}. A rebuild that has begun goes on without this command`, { cause: error });
  }
}
