/** How many requests of a kind go on at once in a process, and how many wait: see docs/limits.md. */
import { concurrencyLimit } from '../core/concurrency/concurrency-limit.js';
import { temporarilyUnavailable } from '../core/problem.js';
import { type ReadModels } from '../core/read-models.js';
import { goneOf } from '../http/gone.js';
import { type Route } from '../http/route.js';

/** Of artifacts. A slow one is no sign of overload: some pages take longer than others. */
const PAGES = {
  mostWaiting: 1000,
  patienceMs: 2000,
  refused: () => temporarilyUnavailable('Too many pages are being read; retry later'),
};

/** Of single documents, apart from all other reading. */
const DOCUMENTS = {
  slowMs: 250,
  mostWaiting: 1000,
  patienceMs: 1000,
  refused: () => temporarilyUnavailable('Too many reads are under way; retry later'),
};

/** Leaves half of the connections to other requests, so that pages delay only pages. */
export function withLimitedReading(readModels: ReadModels, connections: number): ReadModels {
  const part = (of: number): number => Math.max(1, Math.floor(connections / of));
  const page = concurrencyLimit({ ...PAGES, most: part(2) });
  const document = concurrencyLimit({ ...DOCUMENTS, fewest: part(16), most: part(4) });
  return {
    ...readModels,
    get: (...asked) => document(() => readModels.get(...asked)),
    findSlice: (...asked) => page(() => readModels.findSlice(...asked)),
  };
}

/**
 * The answer of a write, unless it is alone, waits until the read models show it. If this takes longer than a second, the
 * read models are behind: fewer writes run at once, and the read models catch up.
 */
const WRITES = {
  fewest: 16,
  most: 64,
  slowMs: 1000,
  mostWaiting: 1000,
  patienceMs: 5000,
  refused: () => temporarilyUnavailable('Too many writes are under way; retry later'),
};

/** The same routes. Beyond the limit, writes of artifacts wait, or are refused before anything is written. */
export function withLimitedWrites<Viewer>(routes: readonly Route<Viewer>[]): readonly Route<Viewer>[] {
  const write = concurrencyLimit(WRITES);
  return routes.map((route) => {
    if (route.method === 'GET') return route;
    // Nothing is begun for a client that has left: it may have sent the request again.
    const handle: Route<Viewer>['handle'] = (request) => write(async () => route.handle(request), goneOf(request.ctx));
    return { ...route, handle };
  });
}
