/** Makes good what a crash cut off between a count and its deletion, or between a deletion and its archive. */
import { type Document, type ReadModel, type ReadModels } from '../core/read-models.js';
import { archiveQuietly, carryOutDeletion, type DeletionPorts } from './delete-artifact.js';
import { pendingArchiveViews, pendingDeletionViews } from './pending-view.js';

const PAGE = 1000;

/** Of those from before an instant, since younger ones may be under way. Resolves to how many deletions were left. */
export async function carryForwardDeletions(ports: DeletionPorts, before: Date): Promise<number> {
  const deletions = await pending(pendingDeletionViews, ports.readModels, before);
  for (const deletion of deletions) {
    const metadata = { actor: deletion.userId, at: ports.clock().toISOString() };
    await carryOutDeletion(deletion, ports, metadata);
    await archiveQuietly(deletion.artifactId, ports);
  }
  for (const { id } of await pending(pendingArchiveViews, ports.readModels, before)) await archiveQuietly(id, ports);
  return deletions.length;
}

/** All of them before any is carried out, because each that is leaves the pages. */
async function pending<D extends Document & { readonly at: string }>(
  model: ReadModel<D>,
  readModels: ReadModels,
  before: Date,
): Promise<readonly D[]> {
  const found: D[] = [];
  for (let full = true; full;) {
    const { items } = await readModels.find(model, { where: [], direction: 'asc', limit: PAGE, offset: found.length });
    found.push(...items);
    full = items.length === PAGE;
  }
  return found.filter(({ at }) => new Date(at) < before);
}
