import { type Collection } from 'mongodb';
import { type Position } from '../../../core/event-log.js';
import { serialQueue } from '../../../core/concurrency/serial-queue.js';
import { type Generation } from '../../../core/projection.js';
import { type Document, type ReadModel } from '../../../core/read-models.js';
import { documentIn } from './bodies.js';
import { rowsIn, type StoredDocument } from './documents.js';
import { ANY } from './entries.js';
import { type Served } from './serving-state.js';

/** What a subscriber knows: null while nothing is served. */
interface Known {
  readonly generation: Generation;
  /** The checkpoint as it was before the documents were read. */
  readonly position: Position | null;
}

interface Subscriber {
  readonly model: string;
  readonly receive: (documents: readonly Document[] | null, complete: boolean) => void;
  readonly ended: AbortSignal;
  known: Known | null;
}

export interface Subscribers {
  /** Resolves after the first hand-over. */
  subscribe<D extends Document>(
    model: ReadModel<D>,
    receive: (documents: readonly D[] | null, complete: boolean) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Resolves when every subscriber has what readers see by now. */
  tell(): Promise<void>;
}

export interface SubscribersOptions {
  readonly served: (model: string) => Served | undefined;
  /** Resolves once \`served\` is of no earlier than the call. */
  readonly look: () => Promise<void>;
  readonly documents: (model: string, generation: Generation) => Collection<StoredDocument>;
  /** Aborts when the store is closed. */
  readonly closed: AbortSignal;
}

export function subscribersOf(options: SubscribersOptions): Subscribers {
  const subscribers = new Set<Subscriber>();
  // The first hand-over of a subscriber is made before the next word to all of them.
  const enqueue = serialQueue();
  return {
    subscribe: <D extends Document>(
      { name }: ReadModel<D>,
      receive: (documents: readonly D[] | null, complete: boolean) => void,
      ended: AbortSignal,
    ) =>
      enqueue(async () => {
        if (ended.aborted) return;
        const subscriber: Subscriber = {
          model: name,
          receive: (documents, complete) => {
            receive(documents as readonly D[] | null, complete);
          },
          ended,
          known: null,
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

async function tellNews(
  options: SubscribersOptions,
  subscriber: Subscriber,
  { generation, position }: Served,
): Promise<void> {
  const { documents, complete } = await handOver(options, subscriber, generation);
  const isRemoved = complete && !(await isStillServed(options, subscriber.model, generation));
  if (subscriber.ended.aborted || options.closed.aborted) return;
  if (!isRemoved && (complete || documents.length > 0)) subscriber.receive(documents, complete);
  subscriber.known = { generation, position };
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

interface HandOver {
  readonly documents: readonly Document[];
  readonly complete: boolean;
}

async function handOver(
  { documents, closed }: SubscribersOptions,
  { model, known }: Subscriber,
  generation: Generation,
): Promise<HandOver> {
  const collection = documents(model, generation);
  const changed = known?.generation === generation ? await changesIn(collection, known.position, closed) : null;
  if (changed !== null) return { documents: changed, complete: false };
  return { documents: await everythingIn(collection, closed), complete: true };
}

/** Of a commit that is under way its documents are read, too, but only its checkpoint makes it known. */
function isNews({ generation, position, changed }: Served, { known, model }: Subscriber): boolean {
  if (known?.generation !== generation) return true;
  const from = known.position ?? '';
  return (position ?? '') > from && (changed[model] ?? '') > from;
}

const ROWS_AT_ONCE = 1000;

/** Null when some were deleted: which ones are left is then known only by asking for all. */
async function changesIn(
  collection: Collection<StoredDocument>,
  after: Position | null,
  signal: AbortSignal,
): Promise<readonly Document[] | null> {
  const since = { position: { $gt: after ?? ('' as Position) } };
  const rows = await rowsIn(collection, since, { batchSize: ROWS_AT_ONCE, signal }).toArray();
  const bodies = rows.flatMap((row) => ('body' in row ? [row.body] : []));
  return bodies.length === rows.length ? bodies.map(documentIn) : null;
}

async function everythingIn(collection: Collection<StoredDocument>, signal: AbortSignal): Promise<readonly Document[]> {
  const rows = await rowsIn(collection, { e: ANY }, { batchSize: ROWS_AT_ONCE, signal }).toArray();
  return rows.flatMap((row) => ('body' in row ? [documentIn(row.body)] : []));
}
