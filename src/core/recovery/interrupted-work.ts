import { type Clock } from '../clock.js';
import { type Criterion, type Document, type ReadModel, type ReadModels, type StartKey } from '../read-models.js';

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

/**
 * Whether work is overdue that began at this instant: it is before the given one, or as long after now, where the clock
 * was once ahead. For work that streams decide: too early does no harm.
 */
export function isOverdue(at: string, before: Date, clock: Clock): boolean {
  const now = clock().getTime();
  return Math.abs(now - Date.parse(at)) > now - before.getTime();
}

const PAGE = 1000;

/** All documents that match, by id, before any is changed. */
export async function allMatching<D extends Document>(
  model: ReadModel<D>,
  where: readonly Criterion[],
  readModels: Pick<ReadModels, 'find'>,
): Promise<readonly D[]> {
  const found: D[] = [];
  let after: StartKey | null | undefined;
  while (after !== null) {
    const query = { where, direction: 'asc', limit: PAGE, offset: 0, ...(after && { after }) } as const;
    const { items } = await readModels.find(model, query);
    found.push(...items);
    const last = items.length < PAGE ? undefined : items.at(-1);
    after = last === undefined ? null : { values: [], id: last.id };
  }
  return found;
}
