import { slicesOf } from '../../core/read-models.js';
import { type Link } from '../../trackers/field-types/field-value.js';
import { artifactViews, deletedArtifactViews, type ArtifactView } from '../artifact-view.js';
import { type Reading } from '../representation/load-related.js';

/**
 * The other ends of links that the history may name to the viewer: visible ones, deleted ones that were visible at last,
 * and those whose history the viewer may read.
 */
export async function knownEnds(
  links: readonly Link[],
  { readModels, viewer }: Pick<Reading, 'readModels' | 'viewer'>,
): Promise<ReadonlySet<number>> {
  const ids = [...new Set(links.map(({ id }) => id))];
  if (ids.length === 0) return new Set();
  const isKnown = (end: ArtifactView): boolean => viewer.canSeeArtifact(end) || viewer.canAudit(end);
  const present = new Set<number>();
  const known = new Set<number>();
  for await (const found of slicesOf(readModels, artifactViews, ids, isKnown)) {
    for (const { id } of found) present.add(id);
    for (const { id } of found.filter(isKnown)) known.add(id);
  }
  const others = ids.filter((id) => !present.has(id));
  for await (const deleted of slicesOf(readModels, deletedArtifactViews, others, isKnown)) {
    for (const { id } of deleted.filter(isKnown)) known.add(id);
  }
  return known;
}
