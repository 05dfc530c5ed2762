/** What leads to an artifact that is being deleted, for its archive. */
import { ARTIFACTS, artifactViews, type ArtifactView, LINKS_KEY } from '../artifact-view.js';
import { type ToArchive } from '../artifact-events.js';
import { MAX_ARCHIVED_LINKS } from '../../core/bounds.js';
import { Problem } from '../../core/problem.js';
import { slicesOf, type Criterion, type Query } from '../../core/read-models.js';
import { linksOf } from '../../trackers/field-types/canonical.js';
import { type Link } from '../../trackers/field-types/field-value.js';
import { type DeletionPorts } from './ports.js';

const PAGE = 1000;

/** The links that lead to the artifact by now: later changes could remove them without a trace. */
export async function linkedFrom(artifactId: number, { log, readModels }: DeletionPorts): Promise<ToArchive> {
  await refuseWhileBehind({ log, readModels });
  const links: Link[] = [];
  let sources = 0;
  for (let last = 0, full = true; full && links.length <= MAX_ARCHIVED_LINKS;) {
    const where: readonly Criterion[] = [{ type: 'any-of', key: LINKS_KEY, values: [artifactId] }];
    const query: Query = { where, direction: 'asc', ...(last > 0 && behind(last)), limit: PAGE, offset: 0 };
    // The caller may not see every source. A marked one counts as last known.
    const { items, rest, total } = await readModels.findSlice(artifactViews, query, () => false);
    if (last === 0) sources = total;
    links.push(...items.flatMap((source) => leadingTo(artifactId, source)));
    for await (const found of slicesOf(readModels, artifactViews, rest, () => false)) {
      links.push(...found.flatMap((source) => leadingTo(artifactId, source)));
    }
    const ids = [...items.map(({ id }) => id), ...rest];
    full = ids.length === PAGE;
    last = ids.at(-1) ?? last;
  }
  return boundedLinks(links, sources);
}

/** Links in the order of their sources, and how many sources there are. */
export function boundedLinks(links: readonly Link[], sources: number): ToArchive {
  if (links.length <= MAX_ARCHIVED_LINKS) return { linkedFrom: links };
  return { linkedFrom: links.slice(0, MAX_ARCHIVED_LINKS), linkedFromTotal: sources };
}

const behind = (id: number): Pick<Query, 'after'> => ({ after: { id, values: [] } });

async function refuseWhileBehind({ log, readModels }: Pick<DeletionPorts, 'log' | 'readModels'>): Promise<void> {
  const end = await log.end();
  if (end === null || (await readModels.caughtUp(ARTIFACTS, end))) return;
  throw new Problem('unavailable', 'The links to the artifact cannot be archived yet; retry later', { retryAfter: 1 });
}

export function leadingTo(artifactId: number, source: Pick<ArtifactView, 'id' | 'values'>): readonly Link[] {
  return Object.values(source.values)
    .flatMap(linksOf)
    .flatMap(({ id, type }) => (id === artifactId ? [{ id: source.id, type }] : []));
}
