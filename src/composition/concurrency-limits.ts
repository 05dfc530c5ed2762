/** How many requests of a kind go on at once in a process, and how many wait: see docs/limits.md. */
import { cacheSize } from '../core/bounds.js';
import { type Context } from 'koa';
import { concurrencyLimit } from '../core/concurrency/concurrency-limit.js';
import { fairLimit } from '../core/concurrency/fair-limit.js';
import { sharesOf } from '../core/concurrency/shares.js';
import { type Asker, noteAsker } from '../core/logs/long-texts.js';
import { temporarilyUnavailable } from '../core/problem.js';
import { type ReadModels } from '../core/read-models.js';
import { networkOf } from '../http/client/ip-address.js';
import { goneOf } from '../http/gone.js';
import { hasPages } from '../http/pages/pagination.js';
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

/** Each may hold some megabytes while its answer is made. On less memory, fewer. */
const LISTS = Math.max(8, cacheSize(32));
/** On servers, a client that asks for many at once waits for the network most of the time. */
const OTHERS = 2 * LISTS;

/**
 * The same routes. Beyond the limit, those that read wait, before they have read anything: lists, and apart from these
 * what is no list. Nobody begins another list who has many to go on with.
 */
export function withFairReading<Viewer>(routes: readonly Route<Viewer>[]): readonly Route<Viewer>[] {
  const further = sharesOf(LISTS);
  // One that goes on may have to wait for others.
  const mayBegin = (caller: string): boolean => further.of(caller) <= 1 || further.lack(caller, 1) <= 0;
  const [lists, others] = [fairLimit({ most: LISTS, mayBegin }), fairLimit({ most: OTHERS })];
  const furtherOf =
    (caller: string): NonNullable<Context['state']['further']> =>
    async (make) => {
      further.add(caller, 1);
      try {
        return await make();
      } finally {
        further.add(caller, -1);
        lists.beginNext();
      }
    };
  const uncountedOf =
    (caller: string): Asker['uncounted'] =>
    async (wait) => {
      further.add(caller, -1);
      lists.beginNext();
      try {
        return await wait();
      } finally {
        further.add(caller, 1);
      }
    };
  return routes.map((route) => {
    if (route.method !== 'GET') return route;
    const { run } = hasPages(route.query) ? lists : others;
    const handle: Route<Viewer>['handle'] = (request) => {
      const { ctx } = request;
      const caller = `${networkOf(ctx.state.address)} ${ctx.state.userId ?? ''}`;
      ctx.state.further = furtherOf(caller);
      const gone = goneOf(ctx);
      noteAsker(gone, { caller, uncounted: uncountedOf(caller) });
      return run(
        async () => route.handle(request),
        caller,
        () => gone,
      );
    };
    return { ...route, handle };
  });
}
