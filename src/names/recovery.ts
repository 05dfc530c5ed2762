/** Makes good what a crash cut off between a name and what bears it. */
import { type Clock } from '../core/clock.js';
import { type EventLog } from '../core/event-log.js';
import { releaseName, type UniqueName } from '../core/name-reservation.js';
import { type ReadModels } from '../core/read-models.js';
import { finishCreation, projectKind, trackerKind, userKind, type By, type Kind } from '../platform/creations.js';
import { createReserved } from '../svn/commands.js';
import { type SvnCreation } from '../svn/repository.js';
import { pendingNamesViews, type PendingNameView } from './pending-names-view.js';

export interface NamePorts {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly clock: Clock;
}

const PAGE = 100;

/**
 * Of those pending since before an instant, since younger ones may be under way. Resolves to how many there were; throws
 * when some resist, after all the others are done.
 */
export async function finishNames(ports: NamePorts, before: Date): Promise<number> {
  const refused: unknown[] = [];
  let finished = 0;
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await ports.readModels.find(pendingNamesViews, {
      where: [],
      direction: 'asc',
      limit: PAGE,
      offset,
    });
    const overdue = items.filter(({ at }) => new Date(at) < before);
    const outcomes = await Promise.allSettled(overdue.map((pending) => finish(pending, ports)));
    refused.push(...outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : [])));
    finished += overdue.length;
    if (items.length < PAGE) break;
  }
  if (refused.length > 0) throw new AggregateError(refused, `${refused.length} names could not be finished`);
  return finished;
}

async function finish(pending: PendingNameView, { log, clock }: NamePorts): Promise<void> {
  const { id, kind, scope, name, bearer, actor } = pending;
  const by: By = { actor, at: clock().toISOString() };
  const unique: UniqueName = { kind, scope, name };
  if (pending.step === 'create') await finishCreationOf(log, unique, by);
  else await releaseName(log, unique, { id: bearer, commandId: `release-${id}` }, by);
}

const svnKind: Kind<SvnCreation> = { create: createReserved };

function finishCreationOf(log: EventLog, unique: UniqueName, by: By): Promise<number | null> {
  switch (unique.kind) {
    case 'user':
      return finishCreation(log, unique, userKind, by);
    case 'project':
      return finishCreation(log, unique, projectKind, by);
    case 'tracker':
      return finishCreation(log, unique, trackerKind, by);
    case 'svn':
      return finishCreation(log, unique, svnKind, by);
  }
}
