import { type Position } from '../../../core/event-log.js';
import { type Document, type ReadModel } from '../../../core/read-models.js';

/** What a follower is handed: all documents there are, or those that changed after `position`. */
export interface HandOver {
  readonly documents: readonly Document[];
  readonly complete: boolean;
  /** What the documents reflect. */
  readonly position: Position | null;
}

interface Follower {
  readonly model: string;
  seen: Position | null;
  readonly receive: (handOver: HandOver | null) => void;
}

export interface Followers {
  /** Resolves nothing itself: the first hand-over is made before this returns. */
  follow<D extends Document>(
    model: ReadModel<D>,
    receive: (documents: readonly D[] | null, complete: boolean) => void,
    signal: AbortSignal,
  ): void;
  /** `reload` after a switch of runs: what was seen of the old one counts for nothing. */
  tell(models: readonly string[], reload: boolean): void;
}

/** `read` hands over everything where `seen` is null, and null where nothing is served. */
export function followersOf(read: (model: string, seen: Position | null) => HandOver | null): Followers {
  const followers = new Set<Follower>();
  const tellOne = (follower: Follower, seen: Position | null): void => {
    const handOver = read(follower.model, seen);
    follower.seen = handOver?.position ?? null;
    if (handOver === null || handOver.complete || handOver.documents.length > 0) follower.receive(handOver);
  };
  return {
    follow: <D extends Document>(
      model: ReadModel<D>,
      receive: (documents: readonly D[] | null, complete: boolean) => void,
      signal: AbortSignal,
    ) => {
      if (signal.aborted) return;
      const follower: Follower = {
        model: model.name,
        seen: null,
        receive: (handOver) => {
          if (handOver === null) receive(null, true);
          else receive(handOver.documents as readonly D[], handOver.complete);
        },
      };
      tellOne(follower, null);
      followers.add(follower);
      signal.addEventListener('abort', () => followers.delete(follower), { once: true });
    },
    tell: (models, reload) => {
      for (const follower of followers) {
        if (models.includes(follower.model)) tellOne(follower, reload ? null : follower.seen);
      }
    },
  };
}
