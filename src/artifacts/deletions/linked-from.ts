/** What leads to an artifact that is being deleted, for its archive. */
import { ARTIFACTS, artifactViews, type ArtifactView, LINKS_KEY } from '../artifact-view.js';
import { type ArtifactCommand } from '../artifact.js';
import { type ToArchive } from '../artifact-events.js';
import { MAX_ARCHIVED_LINKS } from '../../core/bounds.js';
import { Problem } from '../../core/problem.js';
import { slicesOf, type Criterion } from '../../core/read-models.js';
import { linksOf } from '../../trackers/field-types/canonical.js';
import { type Link } from '../../trackers/field-types/field-value.js';
import { pagesOfIds } from '../representation/artifact-pages.js';
import { type DeletionPorts } from './ports.js';

/**
 * While the read models are behind, or do not answer, some of the links to the artifact may be unknown. This is refused,
 * unless its links were `known` before the count: refused after it, the recovery would carry the deletion out nevertheless.
 */
export async function deleteCommand(
  artifactId: number,
  ports: DeletionPorts,
  known?: ArtifactCommand,
): Promise<ArtifactCommand> {
  const isArchived = ports.definitions.platform().archiveDeletedArtifacts;
  if (!isArchived) return { type: 'DeleteArtifact' };
  try {
    const areKnown = await knowsAllLinks(ports);
    if (!areKnown && known === undefined) throw behind();
    return { type: 'DeleteArtifact', toArchive: await linkedFrom(artifactId, ports) };
  } catch (error) {
    if (known === undefined) throw error;
    return known;
  }
}

const behind = (): Problem =>
  new Problem('unavailable', 'The links to the artifact cannot be archived yet; retry later', { retryAfter: 1 });

/** The links that lead to the artifact by now: later changes could remove them without a trace. */
async function linkedFrom(artifactId: number, { readModels }: Pick<DeletionPorts, 'readModels'>): Promise<ToArchive> {
  const where: readonly Criterion[] = [{ type: 'any-of', key: LINKS_KEY, values: [artifactId] }];
  const links: Link[] = [];
  for await (const ids of pagesOfIds(artifactViews, where, { readModels })) {
    // The caller may not see every source. A marked one counts as last known.
    for await (const found of slicesOf(readModels, artifactViews, ids, () => false)) {
      links.push(...found.flatMap((source) => leadingTo(artifactId, source)));
    }
    if (links.length > MAX_ARCHIVED_LINKS) break;
  }
  if (links.length <= MAX_ARCHIVED_LINKS) return { linkedFrom: links };
  const { total } = await readModels.find(artifactViews, { where, direction: 'asc', limit: 0, offset: 0 });
  return boundedLinks(links, total);
}

/** Links in the order of their sources, and how many sources there are. */
export function boundedLinks(links: readonly Link[], sources: number): ToArchive {
  if (links.length <= MAX_ARCHIVED_LINKS) return { linkedFrom: links };
  return { linkedFrom: links.slice(0, MAX_ARCHIVED_LINKS), linkedFromTotal: sources };
}

/** Whether the read models show all that has been written by now, or do so soon. */
async function knowsAllLinks({ log, readModels }: Pick<DeletionPorts, 'log' | 'readModels'>): Promise<boolean> {
  const end = await log.end();
  return end === null || (await readModels.caughtUp(ARTIFACTS, end));
}

export function leadingTo(artifactId: number, source: Pick<ArtifactView, 'id' | 'values'>): readonly Link[] {
  return Object.values(source.values)
    .flatMap(linksOf)
    .flatMap(({ id, type }) => (id === artifactId ? [{ id: source.id, type }] : []));
}
