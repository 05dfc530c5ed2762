/**
 * An application that is cut off between the two appends of a creation leaves a name. A recovery creates what bears the
 * name later, also if the next file does not name it: so that file is planned on a platform that has it.
 */
import { type Clock } from '../../core/clock.js';
import { UnsupportedEvent, type EventLog } from '../../core/event-log.js';
import { type ReadModels } from '../../core/read-models.js';
import { allMatching } from '../../core/recovery/interrupted-work.js';
import { type Definitions } from '../../definitions/definitions.js';
import { pendingNamesViews, type PendingNameView } from '../../names/pending-names-view.js';
import { finish } from '../../names/recovery.js';
import { inWords } from '../plan/plan-step.js';

interface Known {
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

/**
 * Of whatever age: only applications create these, and one runs at a time. One that a newer release has changed is left to
 * that release. Returns whether any was finished.
 */
export async function finishCreations(ports: Ports, onFinished: (words: string) => void): Promise<boolean> {
  let isAny = false;
  for (const pending of await cutOff(ports)) {
    ports.ended?.throwIfAborted();
    try {
      await finish(pending, ports);
    } catch (error) {
      if (error instanceof UnsupportedEvent) continue;
      throw error;
    }
    onFinished(wordsFor(pending, ports.definitions));
    isAny = true;
  }
  return isAny;
}

async function cutOff({ readModels }: Known): Promise<readonly PendingNameView[]> {
  const pending = await allMatching(pendingNamesViews, [], readModels);
  return pending.filter(({ kind, step }) => kind !== 'svn' && step === 'create');
}

function wordsFor({ kind, scope, name }: PendingNameView, definitions: Definitions): string {
  const path = kind === 'tracker' ? `${definitions.project(scope)?.shortname ?? scope}/${name}` : name;
  // What a user may read by then is not known before.
  return inWords({ words: `finish the creation of ${kind} ${path}, which was cut off`, widens: kind === 'user' });
}
