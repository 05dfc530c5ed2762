import { type Criterion, type Document, type ReadModel, type ReadModels } from '../read-models.js';

/** Work that spans several streams, and that a crash may have cut off between two of them. */
export interface Interrupted {
  /** Names it among others of its kind, in the log and for the back-off. */
  readonly id: string;
  /** ISO 8601. Of a try before the recovery's first one: it failed, or was cut off. */
  readonly triedAt?: string;
  /** Finishes the work. Resolves to whether something was left to do. */
  resume(): Promise<boolean>;
}

/** Work from a read model that has been unfinished since before an instant. Younger work may still be running. */
export interface InterruptedWork {
  readonly what: string;
  /** The projection of that read model. */
  readonly projection: string;
  find(before: Date): Promise<readonly Interrupted[]>;
}

const PAGE = 1000;

/** All documents that match, in pages, before any of them is changed: those that are changed may leave the pages. */
export async function allMatching<D extends Document>(
  model: ReadModel<D>,
  where: readonly Criterion[],
  readModels: Pick<ReadModels, 'find'>,
): Promise<readonly D[]> {
  const found: D[] = [];
  for (let full = true; full;) {
    const page = { where, direction: 'asc', limit: PAGE, offset: found.length } as const;
    const { items } = await readModels.find(model, page);
    found.push(...items);
    full = items.length === PAGE;
  }
  return found;
}
