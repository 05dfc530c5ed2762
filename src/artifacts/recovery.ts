/** Makes good what a crash cut off between the two ends of a link. */
import { type ReadModels } from '../core/read-models.js';
import { carryOut } from './links.js';
import { pendingLinksViews, type PendingLinkView } from './pending-links-view.js';
import { type ArtifactPorts } from './ports.js';

const PAGE = 1000;

/** Of those asked for before an instant, since younger ones may be under way. Resolves to how many were still to be written. */
export async function carryForwardLinks(ports: ArtifactPorts, before: Date): Promise<number> {
  let written = 0;
  for (const link of await pendingLinks(ports.readModels)) {
    if (new Date(link.at) < before && (await carryOut(link, ports)) !== null) written += 1;
  }
  return written;
}

/** All of them before any is carried out, because each that is leaves the pages. */
async function pendingLinks(readModels: ReadModels): Promise<readonly PendingLinkView[]> {
  const pending: PendingLinkView[] = [];
  for (let full = true; full;) {
    const page = { where: [], direction: 'asc', limit: PAGE, offset: pending.length } as const;
    const { items } = await readModels.find(pendingLinksViews, page);
    pending.push(...items);
    full = items.length === PAGE;
  }
  return pending;
}
