import { type Db } from 'mongodb';
import { serialQueue } from '../../../core/concurrency/serial-queue.js';
import { type Position } from '../../../core/event-log.js';
import { type Generation } from '../../../core/projection.js';
import { type Document, type ReadModels } from '../../../core/read-models.js';
import { type ProjectionIds } from '../projection-ids.js';
import { documentIn, documentsOf, isLive, rowsIn } from './documents.js';
import { ANY } from './entries.js';
import { type Served } from './state.js';

interface Subscriber {
  readonly model: string;
  readonly receive: (documents: readonly Document[] | null, complete: boolean) => void;
  readonly ended: AbortSignal;
  /** Null while nothing is served. The position is the checkpoint as it was before the documents were read. */
  known: { readonly generation: Generation; readonly position: Position | null } | null;
  /** Of the last documents, by `performance.now()`. */
  toldAt: number;
}

/** `subscribe` resolves after the first hand-over. */
export interface Subscribers extends Pick<ReadModels, 'subscribe'> {
  /** Resolves when every subscriber has what readers see by now. */
  tell(): Promise<void>;
  /** When documents of the projection were last handed over, by `performance.now()`. */
  lastNews(projection: string): number;
}

export interface SubscribersOptions {
  readonly db: Db;
  readonly ids: ProjectionIds;
  readonly served: (model: string) => Served | undefined;
  /** Resolves once `served` is of no earlier than the call. */
  readonly look: () => Promise<void>;
  /** Aborts when the store is closed. */
  readonly closed: AbortSignal;
}

export function subscribersOf(options: SubscribersOptions): Subscribers {
  const subscribers = new Set<Subscriber>();
  // The first hand-over of a subscriber is made before the next word to all of them.
  const enqueue = serialQueue();
  return {
    subscribe: ({ name }, receive, ended) =>
      enqueue(async () => {
        if (ended.aborted) return;
        const subscriber = {
          model: name,
          receive: receive as Subscriber['receive'],
          ended,
          known: null,
          toldAt: -Infinity,
        };
        if (options.served(name) === undefined) receive(null, true);
        else await tellOne(options, subscriber);
        subscribers.add(subscriber);
        ended.addEventListener('abort', () => subscribers.delete(subscriber), { once: true });
      }),
    tell: () =>
      enqueue(async () => {
        await Promise.all([...subscribers].map((subscriber) => tellOne(options, subscriber)));
      }),
    lastNews: (projection) => {
      const isOfProjection = ({ model }: Subscriber): boolean => {
        const now = options.served(model);
        return now !== undefined && options.ids.nameIn(now.id) === projection;
      };
      return Math.max(-Infinity, ...[...subscribers].filter(isOfProjection).map(({ toldAt }) => toldAt));
    },
  };
}

async function tellOne(options: SubscribersOptions, subscriber: Subscriber): Promise<void> {
  const now = options.served(subscriber.model);
  if (now === undefined) {
    if (subscriber.known !== null) subscriber.receive(null, true);
    subscriber.known = null;
    return;
  }
  if (isNews(now, subscriber)) await tellNews(options, subscriber, now);
}

/** Of a commit that is under way its documents are read, too, but only its checkpoint makes it known. */
function isNews({ generation, position, changed }: Served, { known, model }: Subscriber): boolean {
  if (known?.generation !== generation) return true;
  const from = known.position ?? '';
  return (position ?? '') > from && (changed[model] ?? '') > from;
}

async function tellNews(options: SubscribersOptions, subscriber: Subscriber, now: Served): Promise<void> {
  const { documents, complete } = await handOver(options, subscriber, now.generation);
  const isRemoved = complete && !(await isStillServed(options, subscriber.model, now.generation));
  if (subscriber.ended.aborted || options.closed.aborted) return;
  if (!isRemoved && (complete || documents.length > 0)) {
    subscriber.receive(documents, complete);
    subscriber.toldAt = performance.now();
  }
  subscriber.known = now;
  if (isRemoved) await tellOne(options, subscriber);
}

/** Otherwise it may have been removed before the server was asked, and was found empty. */
async function isStillServed(
  { look, served }: SubscribersOptions,
  model: string,
  generation: Generation,
): Promise<boolean> {
  await look();
  return served(model)?.generation === generation;
}

const ROWS_AT_ONCE = 1000;

async function handOver(
  { db, closed }: SubscribersOptions,
  { model, known }: Subscriber,
  generation: Generation,
): Promise<{ readonly documents: readonly Document[]; readonly complete: boolean }> {
  const collection = documentsOf(db, model, generation);
  const options = { batchSize: ROWS_AT_ONCE, signal: closed };
  if (known?.generation === generation) {
    const later = { position: { $gt: known.position ?? ('' as Position) } };
    const changed = await rowsIn(collection, later, options).toArray();
    const live = changed.filter(isLive);
    // Of some that were deleted, it is known which ones are left only by asking for all.
    if (live.length === changed.length) return { documents: live.map(({ body }) => documentIn(body)), complete: false };
  }
  const all = await rowsIn(collection, { e: ANY }, options).toArray();
  return { documents: all.filter(isLive).map(({ body }) => documentIn(body)), complete: true };
}
