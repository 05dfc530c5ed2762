import { type Position } from '../../../core/event-log.js';
import { type Generation } from '../../../core/projection.js';
import { type Document, type ReadModel } from '../../../core/read-models.js';
import { type ServedModel } from './serving-generations.js';

/** What the documents reflect that a subscriber has. */
export interface Seen {
  readonly generation: Generation;
  readonly position: Position | null;
}

/** What a subscriber is handed: all documents there are, or those that changed after it has `seen` their generation. */
export interface HandOver {
  readonly documents: readonly Document[];
  readonly complete: boolean;
  readonly seen: Seen;
}

interface Subscriber {
  readonly model: string;
  seen: Seen | null;
  readonly receive: (documents: readonly Document[] | null, complete: boolean) => void;
}

export interface Subscribers {
  /** Makes the first hand-over before it returns. */
  subscribe<D extends Document>(
    model: ReadModel<D>,
    receive: (documents: readonly D[] | null, complete: boolean) => void,
    signal: AbortSignal,
  ): void;
  tell(models: readonly string[]): void;
}

/** `read` hands over everything unless `seen` is of the generation that is served, and null where nothing is served. */
export function subscribersOf(read: (model: string, seen: Seen | null) => HandOver | null): Subscribers {
  const subscribers = new Set<Subscriber>();
  const tellOne = (subscriber: Subscriber): void => {
    const handOver = read(subscriber.model, subscriber.seen);
    subscriber.seen = handOver?.seen ?? null;
    if (handOver === null) subscriber.receive(null, true);
    else if (handOver.complete || handOver.documents.length > 0) {
      subscriber.receive(handOver.documents, handOver.complete);
    }
  };
  return {
    subscribe: (model, receive, signal) => {
      if (signal.aborted) return;
      const subscriber = { model: model.name, seen: null, receive: receive as Subscriber['receive'] };
      tellOne(subscriber);
      subscribers.add(subscriber);
      signal.addEventListener('abort', () => subscribers.delete(subscriber), { once: true });
    },
    tell: (models) => {
      for (const subscriber of subscribers) {
        if (models.includes(subscriber.model)) tellOne(subscriber);
      }
    },
  };
}

/**
 * What a process has in memory is as new as the file at the time of the call. A commit after `version` was read is
 * another version, so the next call reads again. The models are compared with those of the last call, because a read may
 * have found a new generation meanwhile.
 */
export function refreshing(
  version: () => string,
  served: { load(): readonly ServedModel[] },
  subscribers: Pick<Subscribers, 'tell'>,
): () => void {
  let known: string | null = null;
  let earlier: ReadonlyMap<string, ServedModel> = new Map();
  return () => {
    const now = version();
    if (now === known) return;
    const models = new Map(served.load().map((each) => [each.model, each]));
    const names = [...new Set([...earlier.keys(), ...models.keys()])];
    const differs = (name: string): boolean => {
      const [before, after] = [earlier.get(name), models.get(name)];
      return before?.generation !== after?.generation || before?.position !== after?.position;
    };
    subscribers.tell(names.filter(differs));
    earlier = models;
    known = now;
  };
}
