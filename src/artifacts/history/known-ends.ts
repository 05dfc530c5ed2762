import { slicesOf } from '../../core/read-models.js';
import { type Link } from '../../trackers/field-types/field-value.js';
import { artifactViews, deletedArtifactViews, type ArtifactView } from '../artifact-view.js';
import { type Reading } from '../representation/reading.js';

/** Of the ids of other ends: those of these links that are known are among them. */
export type KnownEnds = (links: readonly Link[]) => Promise<ReadonlySet<number>>;

/** Of the ends that were looked for. More are forgotten. */
const MOST_REMEMBERED = 100_000;

/**
 * The other ends of links that the history may name to the viewer: visible ones, deleted ones that were visible at last,
 * and those whose history the viewer may read. Each is looked for once: many changes are of the same links.
 */
export function endsKnownTo({ readModels, viewer, gone }: Pick<Reading, 'readModels' | 'viewer' | 'gone'>): KnownEnds {
  const isKnown = (end: ArtifactView): boolean => viewer.canSeeArtifact(end) || viewer.canAudit(end);
  let asked = new Set<number>();
  let known = new Set<number>();
  const look = async (ids: readonly number[]): Promise<void> => {
    const present = new Set<number>();
    for await (const found of slicesOf(readModels, artifactViews, ids, isKnown, gone)) {
      for (const { id } of found) present.add(id);
      for (const { id } of found.filter(isKnown)) known.add(id);
    }
    const others = ids.filter((id) => !present.has(id));
    for await (const deleted of slicesOf(readModels, deletedArtifactViews, others, isKnown, gone)) {
      for (const { id } of deleted.filter(isKnown)) known.add(id);
    }
  };
  return async (links) => {
    if (asked.size > MOST_REMEMBERED) [asked, known] = [new Set(), new Set()];
    const ids = [...new Set(links.map(({ id }) => id))].filter((id) => !asked.has(id));
    if (ids.length > 0) await look(ids);
    for (const id of ids) asked.add(id);
    return known;
  };
}
