/** How many requests of a kind go on at once in a process, and how many wait: see docs/limits.md. */
import { lane } from '../core/concurrency/lane.js';
import { Problem } from '../core/problem.js';
import { type ReadModels } from '../core/read-models.js';

const RETRY_AFTER = 2;

function refusing(message: string): () => Problem {
  return () => new Problem('unavailable', message, { retryAfter: RETRY_AFTER });
}

/** Of artifacts. */
const PAGES = {
  // The answer is no sign that too many are asked for: some pages take longer than others.
  slowMs: Infinity,
  mostWaiting: 100,
  patienceMs: 2000,
  refused: refusing('too many pages are being read right now'),
};

/** Leaves half of the connections to everything else, so that no page delays what is not a page. */
export function pagesInLane(readModels: ReadModels, connections: number): ReadModels {
  const atOnce = Math.max(1, Math.floor(connections / 2));
  const page = lane({ ...PAGES, fewest: atOnce, most: atOnce });
  return {
    ...readModels,
    findSlice: (...asked) => page(() => readModels.findSlice(...asked)),
  };
}
