/** Resumes what a crash cut off between a count and its deletion, or between a deletion and its archive. */
import { allMatching, isOverdue, type InterruptedWork } from '../../core/recovery/interrupted-work.js';
import { Problem } from '../../core/problem.js';
import { archiveQuietly, carryOutDeletion } from './commands.js';
import { type DeletionPorts } from './ports.js';
import {
  PENDING_DELETIONS,
  pendingArchiveViews,
  pendingDeletionViews,
  type PendingDeletionView,
} from './pending-deletions-view.js';

export const interruptedDeletions = (ports: DeletionPorts): InterruptedWork => ({
  what: 'deletions',
  projection: PENDING_DELETIONS,
  find: async (before) => {
    const pending = await allMatching(pendingDeletionViews, [], ports.readModels);
    const overdue = pending.filter(({ at }) => isOverdue(at, before, ports.clock));
    return overdue.map((deletion) => ({ id: deletion.id, resume: () => resume(deletion, ports) }));
  },
});

async function resume(deletion: PendingDeletionView, ports: DeletionPorts): Promise<boolean> {
  const by = { actor: deletion.userId, at: ports.clock().toISOString() };
  try {
    await carryOutDeletion(deletion, ports, by);
  } catch (error) {
    // The count was for a revision that has passed, and is released.
    if (error instanceof Problem && error.kind === 'stale') return true;
    throw error;
  }
  await archiveQuietly(deletion.artifactId, ports);
  return true;
}

/** Of any age: a crash is made good at the next start, and two that archive the same artifact write the same. */
export const interruptedArchives = ({ readModels, archive }: DeletionPorts): InterruptedWork => ({
  what: 'archives',
  projection: PENDING_DELETIONS,
  find: async () => {
    const pending = await allMatching(pendingArchiveViews, [], readModels);
    // Each was tried right after the deletion.
    return pending.map(({ id, at }) => ({
      id: String(id),
      triedAt: at,
      resume: () => archive(id).then(() => true),
    }));
  },
});
