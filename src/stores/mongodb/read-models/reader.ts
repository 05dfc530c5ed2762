import { type Db } from 'mongodb';
import { Problem } from '../../../core/problem.js';
import { notServed, type Document, type ReadModel, type ReadModels } from '../../../core/read-models.js';
import { projectionDocuments } from '../projection-documents.js';
import { type ProjectionIds } from '../projection-ids.js';
import { changesOf } from './change-stream.js';
import { documentsOf } from './documents.js';
import { subscribersOf } from './subscribers.js';
import { readMarks } from './marks.js';
import { polling, type Poller } from './poller.js';
import { documentReader, type Read } from './query/document-reader.js';
import { servingStateIn, type ProjectionState, type ServingState, type Served } from './serving-state.js';
import { unavailable } from '../connection.js';
import { positionWaiters, type PositionWaiters } from '../../shared/position-waiters.js';

export interface MongoReadModels extends ReadModels {
  /** As of the last look at them that succeeded. */
  readonly states: () => readonly ProjectionState[];
  /** As of the last look that all subscribers were told of. */
  readonly followed: () => readonly ProjectionState[];
  /** Whatever was served by then, all subscribers have. */
  readonly followedAt: () => Date;
  /** Nothing is under way any more once it resolves. */
  readonly close: () => Promise<void>;
}

export interface MongoReadModelsOptions {
  readonly db: Db;
  readonly ids: ProjectionIds;
  /** Told of looks at the projections that failed: they are tried again. */
  readonly onError?: (error: unknown) => void;
}

const SILENCE = 'The read models do not answer right now';

/** The reading side. Rejects when the server does not answer. */
export async function mongoReadModels(options: MongoReadModelsOptions): Promise<MongoReadModels> {
  const { db, onError = () => undefined } = options;
  const projections = projectionDocuments(db);
  const closing = new AbortController();
  const waiters = positionWaiters();
  const { isWaitedFor } = waiters;
  const { look, servingState, marks } = servingStateOf(options, closing.signal);
  let followed = servingState().states;
  const subscribers = subscribersOf({
    served: (model) => servingState().byModel.get(model),
    documents: (model, generation) => documentsOf(db, model, generation),
    closed: closing.signal,
  });
  const hurry = (): void => {
    if (isWaitedFor()) poller.hurry();
  };
  const changes = changesOf(projections, hurry);
  const told = async (): Promise<void> => {
    const { states } = servingState();
    await subscribers.tell();
    tellWaiters(waiters, states);
    followed = states;
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
      const reached = waiters.wait(projection, position, patienceMs);
      hurry();
      return reached;
    },
    marks: (model) => marks.of(servingState().byModel.get(model)),
    states: () => servingState().states,
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
function servingStateOf({ db, ids }: MongoReadModelsOptions, signal: AbortSignal) {
  const marks = readMarks(db);
  const own = { _id: { $in: [...ids.all] } };
  let current: ServingState = servingStateIn([], ids);
  const look = async (): Promise<void> => {
    const now = servingStateIn(await projectionDocuments(db).find(own, { signal }).toArray(), ids);
    await marks.follow(now.served);
    current = now;
  };
  return { look, servingState: () => current, marks };
}

function servedOf(poller: Poller, servingState: () => ServingState): (model: string) => Promise<Served | null> {
  return async (model) => {
    await poller.fresh();
    if (!servingState().byModel.has(model)) await poller.again();
    return servingState().byModel.get(model) ?? null;
  };
}

function tellWaiters(waiters: PositionWaiters, states: readonly ProjectionState[]): void {
  for (const { projection, served } of states) {
    if (served === null) waiters.forget(projection);
    else if (served.position !== null) waiters.reached(projection, served.position);
  }
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
        const result = await work(model.name, now);
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
