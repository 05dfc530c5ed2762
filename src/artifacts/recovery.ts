/** Makes good what a crash cut off between the two ends of a link. */
import { type ReadModels } from '../core/read-models.js';
import { carryOut } from './links.js';
import { pendingLinksViews } from './pending-links-view.js';
import { type ArtifactPorts } from './ports.js';

/** Younger ones may still be under way. */
const OVERDUE_MS = 30_000;
const PAGE = 100;

/** Resolves to the number of links that were still to be written. */
export async function carryForwardLinks(ports: ArtifactPorts, overdueMs = OVERDUE_MS): Promise<number> {
  const before = ports.clock().getTime() - overdueMs;
  let written = 0;
  for (let offset = 0; ; offset += PAGE) {
    const items = await pendingLinks(ports.readModels, offset);
    for (const link of items.filter(({ at }) => Date.parse(at) <= before)) {
      if ((await carryOut(link, ports)) !== null) written += 1;
    }
    if (items.length < PAGE) return written;
  }
}

async function pendingLinks(readModels: ReadModels, offset: number) {
  const { items } = await readModels.find(pendingLinksViews, { where: [], direction: 'asc', limit: PAGE, offset });
  return items;
}
