/** How many requests of a kind go on at once in a process, and how many wait: see docs/limits.md. */
import { concurrencyLimit } from '../core/concurrency/concurrency-limit.js';
import { Problem } from '../core/problem.js';
import { type ReadModels } from '../core/read-models.js';
import { type Route } from '../http/route.js';

const RETRY_AFTER = 2;

function refusing(message: string): () => Problem {
  return () => new Problem('unavailable', message, { retryAfter: RETRY_AFTER });
}

/** Of artifacts. */
const PAGES = {
  // The answer is no sign that too many are asked for: some pages take longer than others.
  slowMs: Infinity,
  mostWaiting: 1000,
  patienceMs: 2000,
  refused: refusing('Too many pages are being read; retry later'),
};

/** Of single documents, whatever is read beside them. */
const DOCUMENTS = {
  slowMs: 250,
  mostWaiting: 1000,
  patienceMs: 1000,
  refused: refusing('Too many reads are under way; retry later'),
};

/** Leaves half of the connections to everything else, so that no page delays what is not a page. */
export function withLimitedReading(readModels: ReadModels, connections: number): ReadModels {
  const part = (of: number): number => Math.max(1, Math.floor(connections / of));
  const page = concurrencyLimit({ ...PAGES, fewest: part(2), most: part(2) });
  const document = concurrencyLimit({ ...DOCUMENTS, fewest: part(16), most: part(4) });
  return {
    ...readModels,
    get: (...asked) => document(() => readModels.get(...asked)),
    findSlice: (...asked) => page(() => readModels.findSlice(...asked)),
  };
}

/**
 * An answer waits until the read models show what was written, for a second at most. Where they fall behind, it takes
 * longer than that: then fewer go on at once, and the read models catch up.
 */
const WRITES = {
  fewest: 16,
  most: 64,
  slowMs: 1000,
  mostWaiting: 1000,
  patienceMs: 5000,
  refused: refusing('Too many writes are under way; retry later'),
};

/** The same routes. What they write of artifacts is held up, or refused before anything is written, where it is too much. */
export function withLimitedWrites<Viewer>(routes: readonly Route<Viewer>[]): readonly Route<Viewer>[] {
  const write = concurrencyLimit(WRITES);
  return routes.map((route) =>
    route.method === 'GET' ? route : { ...route, handle: (request) => write(async () => route.handle(request)) },
  );
}
