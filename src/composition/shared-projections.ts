/** The projections of a service whose read models several processes share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnyProjection } from '../../projections/apply.js';
import { type ProjectionStatus } from '../../projections/lane-state.js';
import { type Report } from '../../projections/leased.js';
import { type Projections } from '../../projections/projections.js';
import { type RebuildProgress, type RebuildResult } from '../../projections/rebuild.js';
import { retrying } from '../../projections/retry.js';
import { type EventReader, type Position } from '../core/event-log.js';
import { type ReadModels } from '../core/read-models.js';
import { type Requests } from '../stores/mongodb-requests.js';

/** What is known of a projection that any process may run. */
export interface SharedProjection {
  readonly projection: string;
  /** Null while nothing is served. */
  readonly served: { readonly run: number; readonly version: number; readonly position: Position | null } | null;
  readonly report: Report | null;
  /** Whether some worker has it. */
  readonly isHeld: boolean;
}

export interface SharedProjectionsOptions {
  readonly projections: readonly AnyProjection[];
  readonly log: EventReader;
  readonly readModels: Pick<ReadModels, 'caughtUp'>;
  readonly requests: Requests;
  /** As of a moment ago. */
  readonly look: () => readonly SharedProjection[];
  readonly onTrouble: (error: unknown, retryInMs: number) => void;
  /** Aborts when the service ends. */
  readonly signal: AbortSignal;
  /** Resolves when this process runs none of them any more. */
  readonly finished: () => Promise<void>;
}

const LOOK_EVERY_MS = 200;
const PATIENCE_MS = 1000;
/** Without a worker for so long, a rebuild is not waited for. */
const UNATTENDED_MS = 15_000;

export function sharedProjections(options: SharedProjectionsOptions): Projections {
  const { projections, signal, finished } = options;
  const names = projections.map(({ name }) => name);
  const ready = prepared(options).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return {
    names,
    ready,
    status: () => Promise.resolve(projections.map((projection) => statusOf(projection, options.look()))),
    rebuild: (projection, onProgress) => rebuild(options, projection, onProgress),
    close: finished,
  };
}

async function prepared({
  projections,
  log,
  readModels,
  look,
  onTrouble,
  signal,
}: SharedProjectionsOptions): Promise<void> {
  const end = await retrying(() => log.end(), signal, onTrouble);
  const isReady = async ({ name, version }: AnyProjection): Promise<boolean> => {
    const known = look().find(({ projection }) => projection === name);
    if (known?.report?.status.state === 'stopped') return true;
    if (known?.served?.version !== version) return false;
    return end === null || (await readModels.caughtUp(name, end, PATIENCE_MS));
  };
  await Promise.all(
    projections.map(async (projection) => {
      while (!(await isReady(projection))) await sleep(LOOK_EVERY_MS, undefined, { signal });
    }),
  );
}

function statusOf({ name, version }: AnyProjection, known: readonly SharedProjection[]): ProjectionStatus {
  const { served, report, isHeld } = known.find(({ projection }) => projection === name) ?? UNKNOWN;
  const current = served === null ? {} : { run: served.run, position: served.position };
  if (report !== null && isHeld) return { ...report.status, ...current };
  return {
    projection: name,
    version: served?.version ?? version,
    state: served === null ? 'filling' : 'live',
    run: null,
    position: null,
    ...current,
    reason: null,
    poison: null,
    trouble: 'no worker keeps it up to date',
    rebuild: null,
  };
}

const UNKNOWN: Pick<SharedProjection, 'served' | 'report' | 'isHeld'> = { served: null, report: null, isHeld: false };

/** Asks whichever worker has the projection, and waits for its answer. */
async function rebuild(
  { requests, look, signal }: SharedProjectionsOptions,
  projection: string,
  onProgress: (progress: RebuildProgress) => void,
): Promise<RebuildResult> {
  const id = await requests.ask(projection);
  let attended = performance.now();
  try {
    for (;;) {
      const { progress, answer } = await requests.look(id);
      if (answer !== undefined) return answer as RebuildResult;
      if (progress !== undefined) onProgress(progress as RebuildProgress);
      if (look().some((one) => one.projection === projection && one.isHeld)) attended = performance.now();
      if (performance.now() - attended > UNATTENDED_MS) {
        return { outcome: 'failed', projection, reason: 'no worker is running' };
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  } finally {
    await requests.remove(id);
  }
}
