import { type Position } from '../../../core/event-log.js';
import { type Document, type ReadModel } from '../../../core/read-models.js';
import { type ServedModel } from './serving-generations.js';

/** What a subscriber is handed: all documents there are, or those that changed after `position`. */
export interface HandOver {
  readonly documents: readonly Document[];
  readonly complete: boolean;
  /** What the documents reflect. */
  readonly position: Position | null;
}

interface Subscriber {
  readonly model: string;
  seen: Position | null;
  readonly receive: (handOver: HandOver | null) => void;
}

export interface Subscribers {
  /** Resolves nothing itself: the first hand-over is made before this returns. */
  subscribe<D extends Document>(
    model: ReadModel<D>,
    receive: (documents: readonly D[] | null, complete: boolean) => void,
    signal: AbortSignal,
  ): void;
  /** `reload` after a switch of generations: what was seen of the old one counts for nothing. */
  tell(models: readonly string[], reload: boolean): void;
}

/** `read` hands over everything where `seen` is null, and null where nothing is served. */
export function subscribersOf(read: (model: string, seen: Position | null) => HandOver | null): Subscribers {
  const subscribers = new Set<Subscriber>();
  const tellOne = (subscriber: Subscriber, seen: Position | null): void => {
    const handOver = read(subscriber.model, seen);
    subscriber.seen = handOver?.position ?? null;
    if (handOver === null || handOver.complete || handOver.documents.length > 0) subscriber.receive(handOver);
  };
  return {
    subscribe: <D extends Document>(
      model: ReadModel<D>,
      receive: (documents: readonly D[] | null, complete: boolean) => void,
      signal: AbortSignal,
    ) => {
      if (signal.aborted) return;
      const subscriber: Subscriber = {
        model: model.name,
        seen: null,
        receive: (handOver) => {
          if (handOver === null) receive(null, true);
          else receive(handOver.documents as readonly D[], handOver.complete);
        },
      };
      tellOne(subscriber, null);
      subscribers.add(subscriber);
      signal.addEventListener('abort', () => subscribers.delete(subscriber), { once: true });
    },
    tell: (models, reload) => {
      for (const subscriber of subscribers) {
        if (models.includes(subscriber.model)) tellOne(subscriber, reload ? null : subscriber.seen);
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
    const differsIn = (part: 'generation' | 'position') => (name: string) =>
      earlier.get(name)?.[part] !== models.get(name)?.[part];
    const switched = names.filter(differsIn('generation'));
    subscribers.tell(switched, true);
    subscribers.tell(
      names.filter(differsIn('position')).filter((name) => !switched.includes(name)),
      false,
    );
    earlier = models;
    known = now;
  };
}
