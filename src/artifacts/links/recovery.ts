/** Resumes links that a crash cut off between their two ends. */
import { allMatching, isOverdue, type InterruptedWork } from '../../core/recovery/interrupted-work.js';
import { resumeLink } from './commands.js';
import { PENDING_LINKS, pendingLinksViews } from './pending-links-view.js';
import { type ArtifactPorts } from '../ports.js';

type Ports = Pick<ArtifactPorts, 'log' | 'readModels' | 'definitions' | 'clock'>;

export const interruptedLinks = (ports: Ports): InterruptedWork => ({
  what: 'links',
  projection: PENDING_LINKS,
  find: async (before) => {
    const pending = await allMatching(pendingLinksViews, [], ports.readModels);
    const overdue = pending.filter(({ at }) => isOverdue(at, before, ports.clock));
    return overdue.map((order) => ({ id: order.id, resume: () => resumeLink(order, ports) }));
  },
});
