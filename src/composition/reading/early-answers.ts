/** A write that is alone is answered once it is durable. All reading waits until the read models show it: record 54. */
import { type EarlyAnswers } from '../../artifacts/ports.js';
import { othersTurn } from '../../core/concurrency/others-turn.js';
import { type Document, type ReadModel, type ReadModels } from '../../core/read-models.js';
import { type Route } from '../../http/route.js';
import { type Pace } from '../../stores/sqlite/event-log/pace.js';

/** Where the read models usually take longer to show a write, as they do beside a rebuild, each waits for them itself. */
const PROMPT_MS = 8;
/** Of the last write in what is usual. */
const WEIGHT = 0.25;
/** What a longer wait counts as, and one that failed. */
const SLOWEST_MS = 100;
/** Where they have not shown an earlier write within so long, the next one waits for them itself. */
const PATIENCE_MS = 20;
const MOST_AHEAD = 4;
/** Where nobody waits, the projections pause so long, and show several together: record 57. */
const PAUSE_MS = 8;
const MOST_UNHURRIED = 16;

interface Answered {
  readonly streams: ReadonlySet<string>;
  /** By `performance.now()`. */
  readonly since: number;
  /** Never rejects. */
  readonly shown: Promise<void>;
}

type Reading = Pick<ReadModels, 'get' | 'getMany' | 'getSlice' | 'find' | 'findSlice' | 'findIds' | 'caughtUp'>;

/** Of artifacts. */
interface Writes {
  underWay: number;
  /** During the call that begins the wait of one that may be answered early. */
  isAnswering: boolean;
  readonly ahead: Set<Answered>;
}

interface WithEarlyAnswers<Models> {
  /** They show all that was answered. Who asks for `state` or `stamp` waits before: see `early.shown`. */
  readonly readModels: Models;
  readonly early: EarlyAnswers;
}

/** `pace`: of those that write the read models. */
export function earlyAnswers<Models extends Reading>(readModels: Models, pace: Pace): WithEarlyAnswers<Models> {
  const writes: Writes = { underWay: 0, isAnswering: false, ahead: new Set() };
  /** Of what concerns the caller; undefined if all of that is shown. */
  const shown: Shown = (concerns = () => true) => {
    if (writes.ahead.size === 0) return undefined;
    const awaited = [...writes.ahead].filter(({ streams }) => concerns(streams));
    if (awaited.length === 0) return undefined;
    pace.hurry();
    return Promise.all(awaited.map((answered) => answered.shown));
  };
  const caughtUp: Models['caughtUp'] = (projection, position, patienceMs) => {
    if (!writes.isAnswering) pace.hurry();
    return readModels.caughtUp(projection, position, patienceMs);
  };
  return {
    readModels: { ...showingAnswered(readModels, shown), caughtUp },
    early: { ...answering(writes, pace), shown: () => shown() },
  };
}

function answering(writes: Writes, pace: Pace): Omit<EarlyAnswers, 'shown'> {
  const { ahead } = writes;
  let usual = PROMPT_MS;
  const unhurried = (show: () => Promise<unknown>): Promise<unknown> => {
    writes.isAnswering = true;
    try {
      return show();
    } finally {
      writes.isAnswering = false;
    }
  };
  /** Settles with the wait, and notes how long it took. After a pause, that tells nothing. */
  const noted = async (showing: Promise<unknown>, since: number, isEased: boolean): Promise<void> => {
    const took = await showing.then(
      () => (isEased ? usual : performance.now() - since),
      () => SLOWEST_MS,
    );
    usual += WEIGHT * (Math.min(took, SLOWEST_MS) - usual);
  };
  return {
    writing: async (write) => {
      writes.underWay += 1;
      try {
        await write();
      } finally {
        writes.underWay -= 1;
      }
    },
    answer: async (streams, show) => {
      const showing = unhurried(show);
      const since = performance.now();
      const isDelayed = [...ahead].some((earlier) => since - earlier.since > PATIENCE_MS);
      const isPrompt = usual < PROMPT_MS && !isDelayed && writes.underWay === 1;
      const isEased = isPrompt && pace.ease(PAUSE_MS);
      const shown = noted(showing, since, isEased);
      if (!isPrompt || ahead.size >= (isEased ? MOST_UNHURRIED : MOST_AHEAD)) {
        pace.hurry();
        await showing;
        return;
      }
      const answered = { streams: new Set(streams), since, shown: shown.then(() => void ahead.delete(answered)) };
      ahead.add(answered);
    },
  };
}

type Concerns = (streams: ReadonlySet<string>) => boolean;
type Shown = (concerns?: Concerns) => Promise<unknown> | undefined;

/** Many may wait for the same: each of them reads in a turn of its own. */
async function once<T>(awaited: Promise<unknown> | undefined, read: () => Promise<T>): Promise<T> {
  if (awaited === undefined) return read();
  await awaited;
  await othersTurn();
  return read();
}

function showingAnswered<Models extends Reading>(readModels: Models, shown: Shown): Models {
  const all = <T>(read: () => Promise<T>): Promise<T> => once(shown(), read);
  /** A document of a category is made from one stream, so that others do not matter. */
  const one = <D extends Document, T>(
    { category }: ReadModel<D>,
    ids: readonly D['id'][],
    read: () => Promise<T>,
  ): Promise<T> => {
    const concerns: Concerns = (streams) => ids.some((id) => streams.has(`${category}-${id}`));
    return once(shown(category === undefined ? undefined : concerns), read);
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
      await once(shown(), async () => route.handle(request));
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
