import { setTimeout as sleep } from 'node:timers/promises';
import { type Db } from 'mongodb';
import { coalesced } from '../../../core/concurrency/coalesced.js';
import { Problem } from '../../../core/problem.js';
import { type Generation, type Progress } from '../../../core/projection.js';
import { notServed, type Document, type ReadModel, type ReadModels } from '../../../core/read-models.js';
import { positionWaiters, type PositionWaiters } from '../../shared/position-waiters.js';
import { answering } from '../connection.js';
import { projectionDocuments } from '../projection-documents.js';
import { type ProjectionIds } from '../projection-ids.js';
import { documentReader, type Read } from './document-reader.js';
import { polling, SILENCE, watchChanges } from './poller.js';
import { SETTLE_MS, servingState, type ProjectionState, type Served, type ServingState } from './state.js';
import { subscribersOf, type Subscribers } from './subscribers.js';

export interface MongoReadModels extends ReadModels {
  /** What a runner in this process reports after a commit: no request waits for the next look then. */
  readonly notice: (progress: Progress) => void;
  /** As of the last look at them that succeeded. */
  readonly states: () => readonly ProjectionState[];
  /** As of the last poll that all subscribers have seen. */
  readonly followed: () => readonly ProjectionState[];
  /** All subscribers have what was served by then. By the steady clock. */
  readonly followedAt: () => Date;
  /** Resolves once subscribers have what was served lately. `caughtUp` waits longer than "lately" lasts, if it can. */
  readonly upToDate: () => Promise<void>;
  /** Nothing is under way any more once it resolves. */
  readonly close: () => Promise<void>;
}

interface MongoReadModelsOptions {
  readonly db: Db;
  /** The same by way of other connections: what is followed does not wait for what is asked. */
  readonly followed?: Db;
  readonly ids: ProjectionIds;
  /** Told of looks at the projections that failed: they are tried again. */
  readonly onError?: (error: unknown) => void;
}

const FAREWELL_MS = 300;

/** The reading side. Rejects when the server does not answer. */
export async function mongoReadModels(options: MongoReadModelsOptions): Promise<MongoReadModels> {
  const { db, followed: watched = db, ids, onError = () => undefined } = options;
  const closing = new AbortController();
  const state = servingState(watched, ids, closing.signal);
  const { look, heard, served, marks, states } = state;
  const waiters = positionWaiters();
  const { isWaitedFor } = waiters;
  const subscribers = subscribersOf({ db: watched, ids, served, look: () => poller.again(), closed: closing.signal });
  const { tell, followed, lastNews } = following(state, subscribers, waiters);
  const hurry = (): void => {
    if (isWaitedFor()) poller.hurry();
  };
  const poller = await answering(SILENCE, () => polling({ look, told: tell, isWaitedFor, onError }));
  const watching = watchChanges(projectionDocuments(watched), hurry, closing.signal);
  const current = async (model: string): Promise<Served | undefined> => {
    await poller.fresh();
    if (served(model) === undefined) await poller.again();
    return served(model);
  };
  return {
    ...documentReader(db, readingOf(current)),
    subscribe: subscribing(current, subscribers),
    caughtUp: async (projection, position, patienceMs = 1000) => {
      const settled = waiters.wait(projection, position, patienceMs);
      hurry();
      const isSettled = await settled;
      // Other processes follow on their own.
      const everywhereMs = lastNews(projection) + SETTLE_MS - performance.now();
      if (isSettled && everywhereMs > 0) await sleep(everywhereMs);
      return isSettled;
    },
    notice: (progress) => {
      heard(progress);
      // The next poll notifies the subscribers again.
      tell().catch(() => undefined);
    },
    state: state.text,
    stamp: state.stamp,
    refreshState: () => answering(SILENCE, poller.again),
    marks,
    states,
    followed,
    followedAt: poller.followedAt,
    upToDate: poller.followed,
    close: async () => {
      waiters.close();
      closing.abort(new Problem('unavailable', SILENCE));
      // The stream is closed on the server, if the server is reachable.
      const left = Promise.race([watching, sleep(FAREWELL_MS, undefined, { ref: false })]);
      await Promise.all([poller.close(), left]);
    },
  };
}

const subscribing =
  (current: (model: string) => Promise<unknown>, subscribers: Subscribers): ReadModels['subscribe'] =>
  (model, receive, signal) =>
    answering(SILENCE, async () => {
      await current(model.name);
      await subscribers.subscribe(model, receive, signal);
    });

/** Subscribers are notified before waiting requests. */
function following({ states, reached }: ServingState, subscribers: Subscribers, waiters: PositionWaiters) {
  let followed = states();
  const switches = new Map<string, { readonly generation: Generation | undefined; readonly at: number }>();
  const tell = coalesced(async () => {
    const [now, positions, at] = [states(), reached(), performance.now()];
    for (const { projection, served } of now) {
      const generation = served?.generation;
      if (switches.get(projection)?.generation !== generation) switches.set(projection, { generation, at });
    }
    await subscribers.tell();
    for (const { projection, served } of now) if (served === null) waiters.forget(projection);
    for (const [projection, position] of positions) waiters.reached(projection, position);
    followed = now;
  });
  return {
    tell,
    followed: () => followed,
    /** When subscribers were last told, or another generation was first seen, by `performance.now()`. */
    lastNews: (projection: string) =>
      Math.max(subscribers.lastNews(projection), switches.get(projection)?.at ?? -Infinity),
  };
}

function readingOf(served: (model: string) => Promise<Served | undefined>): Read {
  const current = async (model: ReadModel<Document>): Promise<Served> => {
    const now = await served(model.name);
    if (now === undefined) throw notServed(model);
    return now;
  };
  return (model, work) =>
    answering(SILENCE, async () => {
      for (;;) {
        const now = await current(model);
        const result = await work(now);
        // Otherwise it may have been removed before the server was asked, and was found empty.
        if ((await current(model)).generation === now.generation) return result;
      }
    });
}
