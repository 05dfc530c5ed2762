import { addAbortListener } from 'node:events';
import { type EventLog } from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';
import { type ReadModels } from '../../core/read-models.js';
import { SETTLED } from './planned-on.js';

const SETTLED_WITHIN_MS = 30_000;

interface Known {
  readonly log: Pick<EventLog, 'end'>;
  readonly readModels: Pick<ReadModels, 'caughtUp'>;
  readonly ended?: AbortSignal | undefined;
}

/** The definitions hold all that is in the log. Throws what `ended` aborts with. */
export async function settled({ log, readModels, ended }: Known): Promise<void> {
  const end = await log.end();
  if (end === null) return;
  const caughtUp = Promise.all(SETTLED.map((name) => readModels.caughtUp(name, end, SETTLED_WITHIN_MS)));
  const reached = await unlessEnded(caughtUp, ended);
  if (reached.includes(false)) throw new Problem('unavailable', 'The read models are behind', { retryAfter: 30 });
}

function unlessEnded<T>(work: Promise<T>, ended: AbortSignal | undefined): Promise<T> {
  if (ended === undefined) return work;
  return new Promise((resolve, reject) => {
    const { [Symbol.dispose]: leave } = addAbortListener(ended, () => {
      reject(ended.reason as Error);
    });
    void work.then(resolve, reject).finally(leave);
  });
}
