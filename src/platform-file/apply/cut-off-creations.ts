/**
 * An application that is cut off between the two appends of a creation leaves a name. A recovery creates what bears the
 * name later, also if the next file does not name it: so that file is planned on a platform that has it.
 */
import { type Clock } from '../../core/clock.js';
import { UnsupportedEvent, type EventLog, type EventReader } from '../../core/event-log.js';
import { nameHolder, type UniqueName } from '../../core/name-reservation.js';
import { type ReadModels } from '../../core/read-models.js';
import { allMatching } from '../../core/recovery/interrupted-work.js';
import { type Definitions } from '../../definitions/definitions.js';
import { pendingNamesViews, type PendingNameView } from '../../names/pending-names-view.js';
import { finish } from '../../names/recovery.js';
import { inWords } from '../plan/plan-step.js';

interface Known {
  readonly log: EventReader;
  readonly readModels: Pick<ReadModels, 'find'>;
  readonly definitions: Definitions;
}

interface Ports extends Known {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ended?: AbortSignal | undefined;
}

/** In words, as steps of a plan. */
export async function cutOffCreations(known: Known): Promise<readonly string[]> {
  return (await cutOff(known)).map((pending) => wordsFor(pending, known.definitions));
}

/** Returns whether any was finished. */
export async function finishCreations(ports: Ports, onFinished: (words: string) => void): Promise<boolean> {
  const pending = await cutOff(ports);
  for (const one of pending) {
    ports.ended?.throwIfAborted();
    await finish(one, ports);
    onFinished(wordsFor(one, ports.definitions));
  }
  return pending.length > 0;
}

/**
 * Of whatever age: only applications create these, and one runs at a time. A creation that a newer release has changed is
 * left to that release.
 */
async function cutOff({ log, readModels }: Known): Promise<readonly PendingNameView[]> {
  const understood: PendingNameView[] = [];
  for (const pending of await allMatching(pendingNamesViews, [], readModels)) {
    if (pending.kind !== 'svn' && (await isUnderstood(log, pending))) understood.push(pending);
  }
  return understood;
}

async function isUnderstood(log: EventReader, name: UniqueName): Promise<boolean> {
  try {
    await nameHolder(log, name);
    return true;
  } catch (error) {
    if (error instanceof UnsupportedEvent) return false;
    throw error;
  }
}

function wordsFor({ kind, scope, name }: PendingNameView, definitions: Definitions): string {
  const path = kind === 'tracker' ? `${definitions.project(scope)?.shortname ?? scope}/${name}` : name;
  // What a user may read by then is not known before.
  return inWords({ words: `finish the creation of ${kind} ${path}, which was cut off`, widens: kind === 'user' });
}
