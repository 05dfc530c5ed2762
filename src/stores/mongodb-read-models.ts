import { LRUCache } from 'lru-cache';
import { type Collection, type Db } from 'mongodb';
import { type Position } from '../core/event-log.js';
import { Problem } from '../core/problem.js';
import { type Run } from '../core/projection.js';
import { type Document, type Page, type Query, type ReadModel, type ReadModels } from '../core/read-models.js';
import { projectionDocuments, type StoredLease, type StoredProjection } from './mongodb-projections.js';
import { changesOf } from './mongodb-read-changes.js';
import { documentsOf, withIds, type StoredDocument } from './mongodb-read-documents.js';
import { sortable } from './mongodb-read-entries.js';
import { followersOf } from './mongodb-read-followers.js';
import { readPage, type PageSource } from './mongodb-read-page.js';
import { polling } from './mongodb-read-poller.js';
import { seenIn, servedIn, type Seen, type Served } from './mongodb-read-seen.js';
import { talliesIn, talliesOf } from './mongodb-read-tallies.js';
import { unavailable } from './mongodb.js';
import { waiting } from './read-progress.js';
import { rememberedDocuments } from './remembered-documents.js';

/** For those who watch the projections. */
export interface ProjectionState {
  readonly projection: string;
  readonly token: number;
  /** Null before the first run. */
  readonly served: { readonly run: Run; readonly version: number; readonly position: Position | null } | null;
  readonly lease: StoredLease | null;
  /** Of the projection in the program that holds the lease. */
  readonly version: number;
  /** What the holder of the lease last said of itself. */
  readonly status: unknown;
}

export interface MongoReadModels extends ReadModels {
  /** As of the last look at them that succeeded. */
  readonly states: () => readonly ProjectionState[];
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
export async function mongoReadModels({
  db,
  onTrouble = () => undefined,
}: MongoReadModelsOptions): Promise<MongoReadModels> {
  const projections = projectionDocuments(db);
  const closing = new AbortController();
  const waiters = waiting();
  const isWaitedFor = (): boolean => waiters.isWaitedFor();
  const documents = (model: string, run: Run): Collection<StoredDocument> => documentsOf(db, model, run);
  let seen: Seen = seenIn([]);
  const followers = followersOf({ served: (model) => seen.byModel.get(model), documents, closed: closing.signal });
  const changes = changesOf(projections, () => {
    if (isWaitedFor()) poller.hurry();
  });
  const look = async (): Promise<void> => {
    seen = seenIn(await projections.find({}, { projection: { begun: 0 }, signal: closing.signal }).toArray());
  };
  const told = async (): Promise<void> => {
    const { served } = seen;
    await followers.tell();
    for (const { projection, position } of served) if (position !== null) waiters.reached(projection, position);
    changes.watch();
  };
  const poller = await answering(() => polling({ look, told, isWaitedFor, onTrouble }));
  const served = async (model: string): Promise<Served | null> => {
    await poller.fresh();
    if (!seen.byModel.has(model)) await poller.again();
    return seen.byModel.get(model) ?? null;
  };
  return {
    ...documentReader(db, served),
    follow: (model, receive, signal) =>
      answering(async () => {
        await served(model.name);
        await followers.follow(model, receive, signal);
      }),
    caughtUp: (projection, position, patienceMs = 1000) => {
      const reached = waiters.wait(projection, position, patienceMs);
      if (isWaitedFor()) poller.hurry();
      return reached;
    },
    states: () => seen.states,
    followedAt: poller.followedAt,
    close: async () => {
      waiters.close();
      closing.abort(new Problem('unavailable', SILENCE));
      await Promise.all([poller.close(), changes.close()]);
    },
  };
}

async function lookAt(projections: Collection<StoredProjection>, projection: string): Promise<Served | null> {
  const state = await projections.findOne({ _id: projection }, { projection: { serving: 1, runs: 1 } });
  return state && servedIn(state);
}

/** `served`: of a read model; null for nothing yet. */
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
  const reading = <T>(model: string, work: (now: Served) => Promise<T>, otherwise: T): Promise<T> =>
    answering(async () => {
      const now = await served(model);
      return now === null ? otherwise : work(now);
    });
  return {
    get: <D extends Document>({ name }: ReadModel<D>, id: D['id']) =>
      reading<D | null>(
        name,
        async ({ run }) => {
          const row = await documents(name, run).findOne({ _id: sortable(id) }, { projection: { body: 1 } });
          return row !== null && 'body' in row ? (parse(name, row._id, row.body) as D) : null;
        },
        null,
      ),
    getMany: <D extends Document>({ name }: ReadModel<D>, ids: readonly D['id'][]) =>
      reading<readonly D[]>(
        name,
        async ({ run }) => {
          const wanted = [...new Set(ids.map(sortable))];
          if (wanted.length === 0) return [];
          const options = { projection: { body: 1 }, batchSize: wanted.length + 1 };
          const rows = documents(name, run).find(withIds(wanted), options);
          return (await rows.toArray()).flatMap((row) => ('body' in row ? [parse(name, row._id, row.body) as D] : []));
        },
        [],
      ),
    find: <D extends Document>({ name }: ReadModel<D>, query: Query) =>
      reading<Page<D>>(
        name,
        async (now) => {
          const { rows, total } = await readPage(source, now, name, query);
          return { items: rows.map(({ _id, body }) => parse(name, _id, body) as D), total };
        },
        { items: [], total: 0 },
      ),
  };
}

async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error, SILENCE);
  }
}
