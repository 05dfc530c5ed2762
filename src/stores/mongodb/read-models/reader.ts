import { type Db } from 'mongodb';
import { type Position } from '../../../core/event-log.js';
import { oneAtATime } from '../../../core/concurrency/one-at-a-time.js';
import { Problem } from '../../../core/problem.js';
import { type Progress } from '../../../core/projection.js';
import { notServed, type Document, type ReadModel, type ReadModels } from '../../../core/read-models.js';
import { projectionDocuments, type StoredProjection } from '../projection-documents.js';
import { type ProjectionIds } from '../projection-ids.js';
import { changesOf } from './change-stream.js';
import { ownCommits } from './own-commits.js';
import { subscribersOf } from './subscribers.js';
import { readMarks } from './marks.js';
import { polling, type Poller } from './poller.js';
import { documentReader, type Read } from './document-reader.js';
import { servingStateIn, type ProjectionState, type ServingState, type Served } from './serving-state.js';
import { unavailable } from '../connection.js';
import { positionWaiters, type PositionWaiters } from '../../shared/position-waiters.js';

export interface MongoReadModels extends ReadModels {
  /** What a runner in this process reports after a commit: no request waits for the next look then. */
  readonly notice: (progress: Progress) => void;
  /** As of the last look at them that succeeded. */
  readonly states: () => readonly ProjectionState[];
  /** As of the last poll that all subscribers have seen. */
  readonly followed: () => readonly ProjectionState[];
  /** All subscribers have what was served by then. */
  readonly followedAt: () => Date;
  /** Nothing is under way any more once it resolves. */
  readonly close: () => Promise<void>;
}

export interface MongoReadModelsOptions {
  readonly db: Db;
  /** The same by way of other connections: what is followed does not wait for what is asked. */
  readonly followed?: Db;
  readonly ids: ProjectionIds;
  /** Told of looks at the projections that failed: they are tried again. */
  readonly onError?: (error: unknown) => void;
}

const SILENCE = 'The read models do not answer; retry later';

/** The reading side. Rejects when the server does not answer. */
export async function mongoReadModels(options: MongoReadModelsOptions): Promise<MongoReadModels> {
  const { db, followed: watched = db, onError = () => undefined } = options;
  const closing = new AbortController();
  const waiters = positionWaiters();
  const { isWaitedFor } = waiters;
  const { look, heard, servingState, reached, marks } = servingStateOf({ ...options, db: watched }, closing.signal);
  const { subscribers, tell, followed } = following({
    ...{ db: watched, closed: closing.signal },
    ...{ look, servingState, reached, waiters },
  });
  const hurry = (): void => {
    if (isWaitedFor()) poller.hurry();
  };
  const changes = changesOf(projectionDocuments(watched), hurry);
  const told = async (): Promise<void> => {
    await tell();
    changes.watch();
  };
  const poller = await answering(() => polling({ look, told, isWaitedFor, onError }));
  const served = servedOf(poller, servingState);
  return {
    ...documentReader(db, readingOf(served)),
    subscribe: (model, receive, signal) =>
      answering(async () => {
        await served(model.name);
        await subscribers.subscribe(model, receive, signal);
      }),
    caughtUp: (projection, position, patienceMs = 1000) => {
      const settled = waiters.wait(projection, position, patienceMs);
      hurry();
      return settled;
    },
    notice: (progress) => {
      heard(progress);
      // The next poll notifies the subscribers again.
      tell().catch(() => undefined);
    },
    marks: (model) => marks.of(servingState().byModel.get(model)),
    states: () => servingState().states,
    followed,
    followedAt: poller.followedAt,
    close: async () => {
      waiters.close();
      closing.abort(new Problem('unavailable', SILENCE));
      await Promise.all([poller.close(), changes.close()]);
    },
  };
}

interface Following
  extends Pick<ServingStateOf, 'look' | 'servingState' | 'reached'>, Pick<MongoReadModelsOptions, 'db'> {
  readonly waiters: PositionWaiters;
  readonly closed: AbortSignal;
}

/** Subscribers are notified before waiting requests. */
function following({ db, look, servingState, reached, waiters, closed }: Following) {
  let followed = servingState().states;
  const subscribers = subscribersOf({
    served: (model) => servingState().byModel.get(model),
    look,
    db,
    closed,
  });
  const tell = oneAtATime(async () => {
    const [{ states }, positions] = [servingState(), reached()];
    await subscribers.tell();
    for (const { projection, served } of states) if (served === null) waiters.forget(projection);
    for (const [projection, position] of positions) waiters.reached(projection, position);
    followed = states;
  });
  return { subscribers, tell, followed: () => followed };
}

type ServingStateOf = ReturnType<typeof servingStateOf>;

/** What readers see, as of the last look that succeeded, and of what was heard since. */
function servingStateOf({ db, ids }: MongoReadModelsOptions, signal: AbortSignal) {
  const marks = readMarks(db);
  const named = { _id: { $in: [...ids.all] } };
  const commits = ownCommits(ids);
  let looked: readonly StoredProjection[] = [];
  let current = servingStateIn(looked, ids, commits.served);
  const look = oneAtATime(async () => {
    const found = await projectionDocuments(db).find(named, { signal }).toArray();
    await marks.follow(servingStateIn(found, ids, commits.served).served);
    looked = found;
    current = servingStateIn(looked, ids, commits.served);
  });
  const heard = (progress: Progress): void => {
    commits.heard(progress);
    current = servingStateIn(looked, ids, commits.served);
  };
  const reached = (): readonly (readonly [string, Position])[] =>
    current.served.flatMap((served) => {
      const position = commits.reached(served);
      return position === null ? [] : [[ids.nameIn(served.id), position] as const];
    });
  return { look, heard, servingState: () => current, reached, marks };
}

function servedOf(poller: Poller, servingState: () => ServingState): (model: string) => Promise<Served | null> {
  return async (model) => {
    await poller.fresh();
    if (!servingState().byModel.has(model)) await poller.again();
    return servingState().byModel.get(model) ?? null;
  };
}

/** `served`: of a read model; null for nothing. */
function readingOf(served: (model: string) => Promise<Served | null>): Read {
  const current = async (model: ReadModel<Document>): Promise<Served> => {
    const now = await served(model.name);
    if (now === null) throw notServed(model);
    return now;
  };
  return (model, work) =>
    answering(async () => {
      for (;;) {
        const now = await current(model);
        const result = await work(now);
        // Otherwise it may have been removed before the server was asked, and was found empty.
        if ((await current(model)).generation === now.generation) return result;
      }
    });
}

async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error, SILENCE);
  }
}
