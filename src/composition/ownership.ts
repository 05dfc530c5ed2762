/** Keeps a database to one log: positions of one mean nothing in another. */
import { retrying, type OnTrouble } from '../../projections/retry.js';
import { type EventReader } from '../core/event-log.js';
import { type MongoDatabase } from '../stores/mongodb.js';
import { OwnedByAnother, ownedByLog } from '../stores/mongodb-owner.js';

export interface OwnershipOptions {
  readonly db: MongoDatabase['db'];
  readonly log: EventReader;
  readonly onTrouble: OnTrouble;
  /** Another log turned out to have the database. */
  readonly onFailed: (error: Error) => void;
  readonly signal: AbortSignal;
}

/** Throws where the database belongs to another log. One that is empty gets the database with its first event. */
export async function ownership(options: OwnershipOptions): Promise<{ readonly finished: Promise<void> }> {
  const { db, log, onTrouble, onFailed, signal } = options;
  const first = await firstOf(log.readAll(null, []));
  await ownedByLog(db, first);
  if (first !== null) return { finished: Promise.resolve() };
  const claim = async (): Promise<void> => {
    const id = await retrying(() => firstOf(log.subscribe(null, [], signal)), signal, onTrouble);
    if (id === null) return;
    const refusal = await retrying(() => ownedByLog(db, id).then(() => null, refusalIn), signal, onTrouble);
    if (refusal !== null) onFailed(refusal);
  };
  return {
    finished: claim().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
  };
}

async function firstOf(batches: ReturnType<EventReader['readAll']>): Promise<string | null> {
  for await (const { events } of batches) {
    const [first] = events;
    if (first !== undefined) return first.id;
  }
  return null;
}

/** What is no refusal may pass. */
function refusalIn(error: unknown): Error {
  if (error instanceof OwnedByAnother) return error;
  throw error;
}
