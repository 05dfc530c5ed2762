/**
 * Where a filled generation differs from the one that is served: in what neither has changed since both were as far.
 */
import { type Position } from '../../../src/core/event-log.js';
import { type Kept, type ReadModelStore } from '../../../src/core/projection.js';
import { type Document } from '../../../src/core/read-models.js';
import { type GenerationProgress } from '../generation-progress.js';

/** How many documents that differ are looked for, and named. */
export const MOST_DIFFERENCES = 10;

interface Sides {
  readonly store: Pick<ReadModelStore, 'documents' | 'load'>;
  readonly model: string;
  /** Does not change meanwhile. */
  readonly filled: GenerationProgress;
  /** May go on meanwhile. */
  readonly served: GenerationProgress;
}

export interface Comparison {
  /** Takes the documents of the filled generation, in their order. */
  readonly take: (slice: readonly Kept[]) => Promise<void>;
  /** The ids of documents that differ, after the last slice. */
  readonly end: () => Promise<readonly Document['id'][]>;
  /** To be called in any case: a store may hold a cursor. */
  readonly close: () => Promise<void>;
}

export function comparison(sides: Sides): Comparison {
  const { store, model, filled, served } = sides;
  const theirs = rowsOf(store.documents(served.generation, model));
  const differing: Document['id'][] = [];
  let next: Promise<IteratorResult<Kept, void>> | undefined;
  const isFull = (): boolean => differing.length >= MOST_DIFFERENCES;
  const found = (id: Document['id'], differs: boolean): void => {
    if (differs) differing.push(id);
  };
  /** Those of the served generation that come before the id are not in the filled one. */
  const passUpTo = async (row: Kept | null): Promise<Kept | null> => {
    while (!isFull()) {
      const { done, value } = await (next ??= theirs.next());
      if (done === true) return null;
      const order = row === null ? -1 : compareIds(value.id, row.id);
      if (order > 0) return null;
      next = undefined;
      if (order === 0) return value;
      found(value.id, await isAlone(sides, value, served, filled));
    }
    return null;
  };
  return {
    take: async (slice) => {
      for (const row of slice) {
        const other = await passUpTo(row);
        if (isFull()) return;
        found(row.id, other === null ? await isAlone(sides, row, filled, served) : differs(sides, row, other));
      }
    },
    end: async () => {
      await passUpTo(null);
      return differing;
    },
    close: async () => {
      await theirs.return();
    },
  };
}

async function* rowsOf(slices: AsyncIterable<readonly Kept[]>): AsyncGenerator<Kept, void, void> {
  for await (const slice of slices) yield* slice;
}

/** Numbers first, then texts by their UTF-8. */
export function compareIds(one: Document['id'], other: Document['id']): number {
  if (typeof one === 'number') return typeof other === 'number' ? one - other : -1;
  return typeof other === 'number' ? 1 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Both were as far as the earlier of the two stood. What changed later need not be in both. */
function differs({ filled, served }: Sides, row: Pick<Kept, 'body' | 'position'>, other: typeof row): boolean {
  return isWithin(row.position, served) && isWithin(other.position, filled) && row.body !== other.body;
}

function isWithin(position: Position, { position: reached }: GenerationProgress): boolean {
  return reached !== null && position <= reached;
}

/**
 * Of a document that the other generation has not in the same place: it may have been deleted there, or come meanwhile.
 */
async function isAlone(
  sides: Sides,
  { id, body, position }: Kept,
  own: GenerationProgress,
  other: GenerationProgress,
): Promise<boolean> {
  if (!isWithin(position, other)) return false;
  const there = (await sides.store.load(other.generation, { name: sides.model }, [id])).get(id);
  if (there === undefined) return true;
  return isWithin(there.position, own) && (there.document === null || JSON.stringify(there.document) !== body);
}
