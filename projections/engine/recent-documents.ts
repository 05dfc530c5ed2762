/** Documents that many streams change, as the last batches left them: the next batch need not load them. */
import { LRUCache } from 'lru-cache';
import { heapSize } from '../../src/core/bounds.js';
import { type Position } from '../../src/core/event-log.js';
import { type Stored } from '../../src/core/projection.js';
import { type Document, type ReadModel } from '../../src/core/read-models.js';
import { isAfter, type GenerationProgress } from './generation-progress.js';

/** Of all of them, in bytes of the heap. */
const MOST_SIZE = 8 * 1024 * 1024;

type GenerationPosition = Pick<GenerationProgress, 'generation' | 'position'>;

export interface LeftDocument {
  readonly model: ReadModel<Document>;
  readonly id: Document['id'];
  readonly stored: Stored;
}

/** Undefined of a document that is not known. */
export type Recent = (model: ReadModel<Document>, id: Document['id']) => Stored | undefined;

export interface RecentDocuments {
  /**
   * For a batch with events up to `end`. Undefined but where the batch before has left the generation, and beyond all
   * batches that failed: those may have been written, and events come in other batches when they are read again.
   */
  readonly taken: (place: GenerationPosition, end: Position | null) => Recent | undefined;
  /** What a batch has left, and where. */
  readonly keep: (place: GenerationPosition, left: readonly LeftDocument[]) => void;
}

export function recentDocuments(): RecentDocuments {
  const known = new LRUCache<string, Stored>({
    maxSize: MOST_SIZE,
    sizeCalculation: ({ document }, name) => name.length + heapSize(document, MOST_SIZE),
  });
  let kept: GenerationPosition | null = null;
  /** The furthest that a batch has tried to get. */
  let tried: Position | null = null;
  const isAt = ({ generation, position }: GenerationPosition): boolean =>
    kept?.generation === generation && kept.position === position;
  const nameOf = ({ name }: ReadModel<Document>, id: Document['id']): string => `${name} ${typeof id} ${id}`;
  const recent: Recent = (model, id) => known.get(nameOf(model, id));
  return {
    taken: (place, end) => {
      const isKept = isAt(place) && !isAfter(tried, place.position);
      if (isAfter(end, tried)) tried = end;
      if (!isKept) known.clear();
      return isKept ? recent : undefined;
    },
    keep: ({ generation, position }, left) => {
      for (const { model, id, stored } of left) {
        // Others change with one stream each, and hardly with the next batch.
        if (model.category === undefined && recent(model, id) !== stored) known.set(nameOf(model, id), stored);
      }
      kept = { generation, position };
    },
  };
}
