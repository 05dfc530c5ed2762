/** Makes good what a crash cut off between the two ends of a link. */
import { type ReadModels } from '../core/read-models.js';
import { carryOut } from './links.js';
import { pendingLinksViews } from './pending-links-view.js';
import { type ArtifactPorts } from './ports.js';

const PAGE = 100;

/** Of those asked for before an instant, since younger ones may be under way. Resolves to how many were still to be written. */
export async function carryForwardLinks(ports: ArtifactPorts, before: Date): Promise<number> {
  let written = 0;
  for (let offset = 0; ; offset += PAGE) {
    const items = await pendingLinks(ports.readModels, offset);
    for (const link of items.filter(({ at }) => new Date(at) < before)) {
      if ((await carryOut(link, ports)) !== null) written += 1;
    }
    if (items.length < PAGE) return written;
  }
}

async function pendingLinks(readModels: ReadModels, offset: number) {
  const { items } = await readModels.find(pendingLinksViews, { where: [], direction: 'asc', limit: PAGE, offset });
  return items;
}
