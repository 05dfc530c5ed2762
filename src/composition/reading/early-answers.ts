/** A write that is alone is answered once it is durable. All reading waits until the read models show it: record 54. */
import { type EarlyAnswers } from '../../artifacts/ports.js';
import { type Document, type ReadModel, type ReadModels } from '../../core/read-models.js';
import { type Route } from '../../http/route.js';

/** Where the read models usually take longer to show a write, as they do beside a rebuild, each waits for them itself. */
const PROMPT_MS = 8;
/** Of the last write in what is usual. */
const WEIGHT = 0.25;
/** What a longer wait counts as, and one that failed. */
const SLOWEST_MS = 100;
/** Where they have not shown an earlier write within so long, the next one waits for them itself. */
const PATIENCE_MS = 20;
const MOST_AHEAD = 4;

interface Answered {
  readonly streams: ReadonlySet<string>;
  /** By `performance.now()`. */
  readonly since: number;
  /** Never rejects. */
  readonly shown: Promise<void>;
}

type Reading = Pick<ReadModels, 'get' | 'getMany' | 'getSlice' | 'find' | 'findSlice' | 'findIds'>;

interface WithEarlyAnswers<Models> {
  /** They show all that was answered. Who asks for `state` or `stamp` waits before: see `early.shown`. */
  readonly readModels: Models;
  readonly early: EarlyAnswers;
}

export function earlyAnswers<Models extends Reading>(readModels: Models): WithEarlyAnswers<Models> {
  const ahead = new Set<Answered>();
  return { readModels: showingAnswered(readModels, ahead), early: answering(ahead) };
}

function answering(ahead: Set<Answered>): EarlyAnswers {
  let underWay = 0;
  let usual = PROMPT_MS;
  /** Settles with the wait, and notes how long it took. */
  const noted = async (showing: Promise<unknown>, since: number): Promise<void> => {
    const took = await showing.then(
      () => performance.now() - since,
      () => SLOWEST_MS,
    );
    usual += WEIGHT * (Math.min(took, SLOWEST_MS) - usual);
  };
  return {
    shown: () => shownOf(ahead),
    writing: async (write) => {
      underWay += 1;
      try {
        await write();
      } finally {
        underWay -= 1;
      }
    },
    answer: async (streams, showing) => {
      const since = performance.now();
      const isDelayed = [...ahead].some((earlier) => since - earlier.since > PATIENCE_MS);
      const isEarly = usual < PROMPT_MS && !isDelayed && underWay === 1 && ahead.size < MOST_AHEAD;
      const shown = noted(showing, since);
      if (!isEarly) {
        await showing;
        return;
      }
      const answered = { streams: new Set(streams), since, shown: shown.then(() => void ahead.delete(answered)) };
      ahead.add(answered);
    },
  };
}

type Concerns = (streams: ReadonlySet<string>) => boolean;

function shownOf(ahead: ReadonlySet<Answered>, concerns: Concerns = () => true): Promise<unknown> | undefined {
  if (ahead.size === 0) return undefined;
  const awaited = [...ahead].filter(({ streams }) => concerns(streams));
  return awaited.length === 0 ? undefined : Promise.all(awaited.map(({ shown }) => shown));
}

function showingAnswered<Models extends Reading>(readModels: Models, ahead: ReadonlySet<Answered>): Models {
  const once = async <T>(shown: Promise<unknown> | undefined, read: () => Promise<T>): Promise<T> => {
    if (shown !== undefined) await shown;
    return read();
  };
  const all = <T>(read: () => Promise<T>): Promise<T> => once(shownOf(ahead), read);
  /** A document of a category is made from one stream, so that others do not matter. */
  const one = <D extends Document, T>(
    { category }: ReadModel<D>,
    ids: readonly D['id'][],
    read: () => Promise<T>,
  ): Promise<T> => {
    const concerns: Concerns = (streams) => ids.some((id) => streams.has(`${category}-${id}`));
    return once(shownOf(ahead, category === undefined ? undefined : concerns), read);
  };
  return {
    ...readModels,
    get: (model, id, sees) => one(model, [id], () => readModels.get(model, id, sees)),
    getMany: (model, ids, sees) => one(model, ids, () => readModels.getMany(model, ids, sees)),
    getSlice: (model, ids, sees) => one(model, ids, () => readModels.getSlice(model, ids, sees)),
    find: (model, query, sees) => all(() => readModels.find(model, query, sees)),
    findSlice: (model, query, sees) => all(() => readModels.findSlice(model, query, sees)),
    findIds: (model, query) => all(() => readModels.findIds(model, query)),
  };
}

/** The same routes. Those that read wait until the read models show all that was answered, kept answers included. */
export const readingAllAnswered = <Viewer>(
  routes: readonly Route<Viewer>[],
  { shown }: Pick<EarlyAnswers, 'shown'>,
): readonly Route<Viewer>[] =>
  routes.map((route) => {
    if (route.method !== 'GET') return route;
    const handle: typeof route.handle = async (request) => {
      await shown();
      await route.handle(request);
      const { state } = request.ctx;
      if (state.stillHolds !== undefined) state.stillHolds = onceShown(state.stillHolds, shown);
    };
    return { ...route, handle };
  });

type Holds = () => boolean | Promise<boolean>;

// A function of its own, because it is kept: within the route it would keep the request with it.
const onceShown =
  (stillHolds: Holds, shown: EarlyAnswers['shown']): Holds =>
  () => {
    const awaited = shown();
    return awaited === undefined ? stillHolds() : awaited.then(stillHolds);
  };
