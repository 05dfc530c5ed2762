/** Changes of a projection's state that only the holder of its lease can make. */
import { type Collection, type Db, type Filter, type UpdateFilter } from 'mongodb';
import { type Generation } from '../../../core/projection.js';
import { type StoredProjection } from '../projection-documents.js';

export interface Fence {
  readonly db: Db;
  readonly projections: Collection<StoredProjection>;
  /** Of the lease under which this process writes the projection. */
  readonly tokenOf: (projection: string) => number;
}

export function takenOver(projection: string): Error {
  return new Error(`Another worker has taken over ${projection}`);
}

/** False when the token is not the last one any more, or the document is not as the filter says. */
export async function updateWhere(
  { projections, tokenOf }: Fence,
  projection: string,
  filter: Filter<StoredProjection>,
  update: UpdateFilter<StoredProjection>,
): Promise<boolean> {
  const { matchedCount } = await projections.updateOne(
    { ...filter, _id: projection, token: tokenOf(projection) },
    update,
  );
  return matchedCount === 1;
}

/** A missing generation was removed by a later holder of the lease. */
export async function updateGeneration(
  fence: Fence,
  projection: string,
  generation: Generation,
  update: UpdateFilter<StoredProjection>,
): Promise<void> {
  const isThere = { [`runs.${generation}.version`]: { $exists: true } };
  if (!(await updateWhere(fence, projection, isThere, update))) throw takenOver(projection);
}
