import { BACKWARDS, END, isCommandError, type ReadAllOptions } from '@eventstore/db-client';
import { type Position } from '../../core/event-log.js';
import { retryTransient } from './retry.js';
import { type StoreContext } from './context.js';
import { Incomplete } from './errors.js';
import { storePosition } from './position.js';
import { streamReader } from './stream-reader.js';
import { positionIn, type Resolved } from './codec.js';

/** Id of the event at a position of the server's log, also of an event of another log. */
export function eventAt(context: StoreContext, position: Position): Promise<string | null> {
  // A wrong one is refused before there is anything to be patient about.
  storePosition(position);
  return retryTransient(() => tryEventAt(context, position), context);
}

/** The same, tried once. */
export async function tryEventAt(
  context: StoreContext,
  position: Position,
  answerMs = context.timing.call,
): Promise<string | null> {
  const found = await readOne(context, { fromPosition: storePosition(position) }, answerMs).catch((error: unknown) => {
    if (isInvalidPosition(error)) return 'invalid' as const;
    throw error;
  });
  if (found === 'invalid') return null;
  if (found === null) return beyondEnd(context, position, answerMs);
  // The server refuses a position where no record begins. Where it goes on to a later one, a scavenge took the event.
  if (positionIn(found) !== position) return null;
  return (found.link ?? found.event)?.id ?? null;
}

/** A reading that breaks off looks like one that finds nothing. */
async function beyondEnd(context: StoreContext, position: Position, answerMs: number): Promise<null> {
  const last = await readOne(context, { fromPosition: END, direction: BACKWARDS }, answerMs);
  const end = last === null ? undefined : positionIn(last);
  if (end === undefined || end >= position)
    throw new Incomplete('The reading ended before the event that stands there');
  return null;
}

export async function readOne(
  { connections, timing, closing }: StoreContext,
  options: ReadAllOptions,
  answerMs = timing.call,
): Promise<Resolved | null> {
  const { client, lost } = connections.current();
  const source = streamReader(client.readAll({ ...options, maxCount: 1, requiresLeader: true }), closing, lost);
  try {
    return await source.next(answerMs);
  } finally {
    source.stop();
  }
}

/** No event begins there: the server's log is another one than that of the position, or an older state of it. */
export function isInvalidPosition(error: unknown): boolean {
  // The client knows no type for it.
  return error instanceof Error && isCommandError(error) && /invalid position/i.test(error.message);
}
