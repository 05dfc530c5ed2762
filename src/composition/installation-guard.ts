/** Keeps read models to one log: positions of one mean nothing in another. */
import { type Disposables } from '../core/concurrency/disposables.js';
import { retry, type OnRetry } from '../core/concurrency/retry.js';
import { UnreadableEvent, type EventReader } from '../core/event-log.js';
import { OwnedByAnother } from '../stores/shared/owned-by-another.js';

export interface InstallationGuardOptions {
  /** Throws OwnedByAnother where the read models belong to another log than that with this first event; null: none. */
  readonly owned: (firstEvent: string | null) => Promise<void>;
  readonly log: EventReader;
  readonly onRetry: OnRetry;
  /** Another log turned out to have the read models. */
  readonly onFailed: (error: Error) => void;
  readonly stopping: AbortController;
}

/**
 * Throws where the read models belong to another log. A log that is empty gets them with its first event. What it
 * returns tells whether the log is still the one that has the read models, or an older state of it.
 */
export async function installationGuard(
  { owned, log, onRetry, onFailed, stopping }: InstallationGuardOptions,
  opened: Disposables,
): Promise<() => Promise<boolean>> {
  const { signal } = stopping;
  const first = await firstEventOf(log, signal);
  await owned(first);
  const isOwnLog = async (): Promise<boolean> => {
    const now = await firstEventOf(log, signal);
    const refusal = await owned(now).then(() => null, refusalIn);
    return refusal === null;
  };
  const claim = async (): Promise<void> => {
    if (first !== null) return;
    const id = await retry(() => firstOf(log.subscribe(null, [], signal)), signal, onRetry);
    if (id === null) return;
    const refusal = await retry(() => owned(id).then(() => null, refusalIn), signal, onRetry);
    if (refusal !== null) onFailed(refusal);
  };
  const claimed = claim().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  opened.add(() => {
    stopping.abort();
    return claimed;
  });
  return isOwnLog;
}

/**
 * The id of the log's first event; null for an empty log. A subscription passes over what others have written before it on
 * the same server, a reading would fetch all of that.
 */
export async function firstEventOf(log: EventReader, signal: AbortSignal): Promise<string | null> {
  return (await log.end()) === null ? null : firstOf(log.subscribe(null, [], signal));
}

async function firstOf(batches: ReturnType<EventReader['subscribe']>): Promise<string | null> {
  try {
    for await (const { events } of batches) {
      const [first] = events;
      if (first !== undefined) return first.id;
    }
    return null;
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    return error.id;
  }
}

/** What is no refusal may pass. */
function refusalIn(error: unknown): Error {
  if (error instanceof OwnedByAnother) return error;
  throw error;
}
