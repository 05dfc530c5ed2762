import { type EventLog } from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';
import { type ReadModels } from '../../core/read-models.js';
import { PLANNED_ON } from './planned-on.js';

const SETTLED_WITHIN_MS = 30_000;

interface Known {
  readonly log: EventLog;
  readonly readModels: ReadModels;
}

/** The definitions hold all that is in the log. */
export async function settled({ log, readModels }: Known): Promise<void> {
  const end = await log.end();
  if (end === null) return;
  const reached = await Promise.all(PLANNED_ON.map((name) => readModels.caughtUp(name, end, SETTLED_WITHIN_MS)));
  if (reached.includes(false)) throw new Problem('unavailable', 'The read models are behind', { retryAfter: 30 });
}
