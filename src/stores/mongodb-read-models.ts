import { LRUCache } from 'lru-cache';
import { type Collection, type Db } from 'mongodb';
import { Problem } from '../core/problem.js';
import { type Checkpoint, type Run } from '../core/projection.js';
import {
  notServed,
  type Document,
  type Page,
  type Query,
  type ReadModel,
  type ReadModels,
} from '../core/read-models.js';
import { projectionDocuments, type StoredLease, type StoredProjection } from './mongodb-projections.js';
import { changesOf } from './mongodb-read-changes.js';
import { documentsOf, withIds, type StoredDocument } from './mongodb-read-documents.js';
import { sortable } from './mongodb-read-entries.js';
import { followersOf } from './mongodb-read-followers.js';
import { readMarks } from './mongodb-read-marks.js';
import { readPage, type PageSource } from './mongodb-read-page.js';
import { polling, type Poller } from './mongodb-read-poller.js';
import { seenIn, servedIn, type Seen, type Served } from './mongodb-read-seen.js';
import { talliesIn, talliesOf } from './mongodb-read-tallies.js';
import { unavailable } from './mongodb.js';
import { waiting, type Waiting } from './read-progress.js';
import { rememberedDocuments } from './remembered-documents.js';

/** For those who watch the projections. */
export interface ProjectionState {
  readonly projection: string;
  readonly token: number;
  /** Null before the first run. */
  readonly served: ({ readonly run: Run } & Checkpoint) | null;
  readonly lease: StoredLease | null;
  /** Of the projection in the program that holds the lease. */
  readonly version: number;
  /** What the holder of the lease last said of itself. */
  readonly status: unknown;
}

export interface MongoReadModels extends ReadModels {
  /** As of the last look at them that succeeded. */
  readonly states: () => readonly ProjectionState[];
  /** As of the last look that all followers were told of. */
  readonly followed: () => readonly ProjectionState[];
  /** Whatever was served by then, all followers have. */
  readonly followedAt: () => Date;
  /** Nothing is under way any more once it resolves. */
  readonly close: () => Promise<void>;
}

export interface MongoReadModelsOptions {
  readonly db: Db;
  /** Told of looks at the projections that failed: they are tried again. */
  readonly onTrouble?: (error: unknown) => void;
}

const SILENCE = 'The read models do not answer right now';

/** The reading side. Rejects when the server does not answer. */
export async function mongoReadModels(options: MongoReadModelsOptions): Promise<MongoReadModels> {
  const { db, onTrouble = () => undefined } = options;
  const projections = projectionDocuments(db);
  const closing = new AbortController();
  const waiters = waiting();
  const { isWaitedFor } = waiters;
  const { look, seen, marks } = looking(db, projections, closing.signal);
  let followed = seen().states;
  const followers = followersOf({
    served: (model) => seen().byModel.get(model),
    documents: (model, run) => documentsOf(db, model, run),
    closed: closing.signal,
  });
  const hurry = (): void => {
    if (isWaitedFor()) poller.hurry();
  };
  const changes = changesOf(projections, hurry);
  const told = async (): Promise<void> => {
    const { states } = seen();
    await followers.tell();
    tellWaiters(waiters, states);
    followed = states;
    changes.watch();
  };
  const poller = await answering(() => polling({ look, told, isWaitedFor, onTrouble }));
  const served = servedOf(poller, seen);
  return {
    ...documentReader(db, served),
    follow: (model, receive, signal) =>
      answering(async () => {
        await served(model.name);
        await followers.follow(model, receive, signal);
      }),
    caughtUp: (projection, position, patienceMs = 1000) => {
      const reached = waiters.wait(projection, position, patienceMs);
      hurry();
      return reached;
    },
    marks: (model) => marks.of(seen().byModel.get(model)),
    states: () => seen().states,
    followed: () => followed,
    followedAt: poller.followedAt,
    close: async () => {
      waiters.close();
      closing.abort(new Problem('unavailable', SILENCE));
      await Promise.all([poller.close(), changes.close()]);
    },
  };
}

/** What readers see, as of the last look that succeeded. */
function looking(db: Db, projections: Collection<StoredProjection>, signal: AbortSignal) {
  const marks = readMarks(db);
  let seen: Seen = seenIn([]);
  const look = async (): Promise<void> => {
    const now = seenIn(await projections.find({}, { projection: { begun: 0 }, signal }).toArray());
    await marks.follow(now.served);
    seen = now;
  };
  return { look, seen: () => seen, marks };
}

function servedOf(poller: Poller, seen: () => Seen): (model: string) => Promise<Served | null> {
  return async (model) => {
    await poller.fresh();
    if (!seen().byModel.has(model)) await poller.again();
    return seen().byModel.get(model) ?? null;
  };
}

function tellWaiters(waiters: Waiting, states: readonly ProjectionState[]): void {
  for (const { projection, served } of states) {
    if (served === null) waiters.forget(projection);
    else if (served.position !== null) waiters.reached(projection, served.position);
  }
}

async function lookAt(projections: Collection<StoredProjection>, projection: string): Promise<Served | null> {
  const state = await projections.findOne({ _id: projection }, { projection: { serving: 1, runs: 1 } });
  return state && servedIn(state);
}

/** `served`: of a read model; null for nothing. */
function documentReader(
  db: Db,
  served: (model: string) => Promise<Served | null>,
): Pick<ReadModels, 'get' | 'getMany' | 'find'> {
  const parse = rememberedDocuments();
  const documents = (model: string, run: Run): Collection<StoredDocument> => documentsOf(db, model, run);
  const source: PageSource = {
    documents,
    tallies: (model, run) => talliesIn(talliesOf(db, model, run)),
    look: (projection) => lookAt(projectionDocuments(db), projection),
    totals: new LRUCache<string, number>({ max: 1000 }),
  };
  const reading = <T>(model: ReadModel<Document>, work: (name: string, now: Served) => Promise<T>): Promise<T> =>
    answering(async () => {
      const now = await served(model.name);
      if (now === null) throw notServed(model);
      return work(model.name, now);
    });
  return {
    get: <D extends Document>(model: ReadModel<D>, id: D['id']) =>
      reading<D | null>(model, async (name, { run }) => {
        const row = await documents(name, run).findOne({ _id: sortable(id) }, { projection: { body: 1 } });
        return row !== null && 'body' in row ? (parse(name, row._id, row.body) as D) : null;
      }),
    getMany: <D extends Document>(model: ReadModel<D>, ids: readonly D['id'][]) =>
      reading<readonly D[]>(model, async (name, { run }) => {
        const wanted = [...new Set(ids.map(sortable))];
        if (wanted.length === 0) return [];
        const options = { projection: { body: 1 }, batchSize: wanted.length + 1 };
        const rows = documents(name, run).find(withIds(wanted), options);
        return (await rows.toArray()).flatMap((row) => ('body' in row ? [parse(name, row._id, row.body) as D] : []));
      }),
    find: <D extends Document>(model: ReadModel<D>, query: Query) =>
      reading<Page<D>>(model, async (name, now) => {
        const page = await readPage(source, now, name, query);
        if (page === null) throw notServed(model);
        return { items: page.rows.map(({ _id, body }) => parse(name, _id, body) as D), total: page.total };
      }),
  };
}

async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error, SILENCE);
  }
}
