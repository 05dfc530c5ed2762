/** Holds back what a filling writes: a document that changes often is written once. For one generation without readers. */
import { heapSize } from '../../../src/core/bounds.js';
import { type Change, type ReadModelStore, type Stored } from '../../../src/core/projection.js';
import { type Document } from '../../../src/core/read-models.js';
import { UnwritableDocument } from '../../../src/core/unwritable-document.js';

/** Of the documents that are held back, in bytes of the heap. */
const MOST_SIZE = 32 * 1024 * 1024;

/** A document that was held back cannot be written. All that was held back is dropped. */
export class Unwritten extends Error {
  override readonly name = 'Unwritten';
}

export interface WriteBehind {
  /** Its commits are written together once their documents are large, and then before more is held back; its loads see them. */
  readonly store: ReadModelStore;
  /** Writes what is held back. After a failure, another try does. Throws Unwritten where none would. */
  readonly flush: () => Promise<void>;
  readonly isEmpty: () => boolean;
}

interface HeldBack {
  readonly change: Change;
  readonly size: number;
}

/** What is there before the first of the changes that are written together. */
const heldBack = (change: Change, { before }: Change): HeldBack => ({
  change: { ...change, before },
  size: heapSize(change.document) + heapSize(before?.document),
});

const storedAs = (id: Document['id'], held: HeldBack | undefined): readonly (readonly [Document['id'], Stored])[] =>
  held === undefined ? [] : [[id, { document: held.change.document, position: held.change.position }]];

export function writeBehind(store: ReadModelStore, models: readonly string[]): WriteBehind {
  const held = new Map(models.map((model) => [model, new Map<Document['id'], HeldBack>()]));
  let [size, last]: [number, Parameters<ReadModelStore['commit']> | null] = [0, null];
  const heldOf = (model: string): Map<Document['id'], HeldBack> => held.get(model) ?? new Map<never, never>();
  const keep = (change: Change): void => {
    const { model, id } = change;
    const earlier = heldOf(model.name).get(id);
    const added = heldBack(change, earlier?.change ?? change);
    size += added.size - (earlier?.size ?? 0);
    heldOf(model.name).set(id, added);
  };
  const drop = (): void => {
    for (const ofModel of held.values()) ofModel.clear();
    [size, last] = [0, null];
  };
  const flush = async (): Promise<void> => {
    if (last === null) return;
    const [projection, generation, , ...reached] = last;
    const changes = models.flatMap((model) => [...heldOf(model).values()].map(({ change }) => change));
    try {
      await store.commit(projection, generation, changes, ...reached);
    } catch (error) {
      if (!(error instanceof UnwritableDocument)) throw error;
      drop();
      throw new Unwritten(error.message, { cause: error });
    }
    drop();
  };
  return {
    flush,
    isEmpty: () => last === null,
    store: {
      ...store,
      load: async (generation, model, ids) => {
        const known = ids.flatMap((id) => storedAs(id, heldOf(model.name).get(id)));
        const found = new Map(known);
        const others = ids.filter((id) => !found.has(id));
        return others.length === 0 ? found : new Map([...(await store.load(generation, model, others)), ...known]);
      },
      commit: async (projection, generation, changes, checkpoint, marks = []) => {
        if (size > MOST_SIZE) await flush();
        changes.forEach(keep);
        last = [projection, generation, [], checkpoint, [...(last?.[4] ?? []), ...marks]];
        if (size > MOST_SIZE) await flush();
      },
    },
  };
}
