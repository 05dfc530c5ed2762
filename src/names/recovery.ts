/** Resumes what a crash cut off between a name and what bears it. */
import { type Clock } from '../core/clock.js';
import { type EventLog } from '../core/event-log.js';
import { allMatching, isOverdue, type InterruptedWork } from '../core/recovery/interrupted-work.js';
import { nameHolder, releaseName, type UniqueName } from '../core/name-reservation.js';
import { type ReadModels } from '../core/read-models.js';
import { createReserved } from '../svn/commands.js';
import { PENDING_NAMES, pendingNamesViews, type PendingNameView } from './pending-names-view.js';
import { createProject, createTracker, createUser, type By, type Create } from './reserve-and-create.js';

interface Ports {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly clock: Clock;
}

export const interruptedNames = (ports: Ports): InterruptedWork => ({
  what: 'names',
  projection: PENDING_NAMES,
  find: async (before) => {
    const pending = await allMatching(pendingNamesViews, [], ports.readModels);
    const overdue = pending.filter(({ at }) => isOverdue(at, before, ports.clock));
    return overdue.map((one) => ({ id: one.id, resume: () => finish(one, ports).then(() => true) }));
  },
});

/** Idempotent, also beside the process that was thought to be cut off. */
export async function finish(pending: PendingNameView, { log, clock }: Pick<Ports, 'log' | 'clock'>): Promise<void> {
  const { id, kind, scope, name, bearer, actor } = pending;
  const by: By = { actor, at: clock().toISOString() };
  const unique: UniqueName = { kind, scope, name };
  if (pending.step === 'create') await finishCreationOf(log, unique, by);
  else await releaseName(log, unique, { id: bearer, commandId: `release-${id}` }, by);
}

function finishCreationOf(log: EventLog, unique: UniqueName, by: By): Promise<void> {
  switch (unique.kind) {
    case 'user':
      return finishCreation(log, unique, createUser, by);
    case 'project':
      return finishCreation(log, unique, createProject, by);
    case 'tracker':
      return finishCreation(log, unique, createTracker, by);
    case 'svn':
      return finishCreation(log, unique, createReserved, by);
  }
}

async function finishCreation<Creation extends object>(
  log: EventLog,
  unique: UniqueName,
  create: Create<Creation>,
  by: By,
): Promise<void> {
  const holder = await nameHolder<Creation>(log, unique);
  if (holder !== null) await create(log, holder, by);
}
