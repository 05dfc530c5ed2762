import { InvalidPosition, type Batch, type Position } from '../core/event-log.js';
import { type Place } from '../core/projection.js';
import { type Stretch } from './eventstoredb-batches.js';
import { answered, pauses, throwFinal } from './eventstoredb-calls.js';
import { type StoreContext } from './eventstoredb-context.js';
import { isInvalidPosition, lookAt } from './eventstoredb-event-at.js';

export interface Resuming {
  readonly after: Position | null;
  readonly signal: AbortSignal;
  /** Aborts with the signal, and when the log is closed. */
  readonly over: AbortSignal;
  /** How long trouble may last; any batch begins it anew. */
  readonly patience: number;
  /** Whether the event at `after` is looked at first, so that a reading that breaks off before any batch knows it. */
  readonly looksFirst: boolean;
  /** Reads from the server once, after a position. */
  readonly stretch: (after: Position | null) => AsyncIterable<Stretch>;
}

/**
 * Reads after the last batch handed over, again and again, until there is nothing more: what comes meanwhile is found
 * too, and what breaks off goes on where it was. Ends without an error once the signal has aborted. Throws
 * InvalidPosition where the server, restored meanwhile, does not hold the event that was handed over last.
 */
export async function* resumed(
  context: StoreContext,
  { after, looksFirst, signal, over, patience, stretch }: Resuming,
): AsyncGenerator<Batch, void, void> {
  const { timing, onTrouble, connections, understood } = context;
  const trouble = pauses({ ...timing, patience });
  let position = after;
  let last: Place | null = after && { position: after, event: null };
  let isUncertain = looksFirst;
  let more = true;
  let connection = connections.current();
  const scan = (scanned: Position): void => {
    position = scanned;
    trouble.reset();
    answered(context, connection);
  };
  const begin = async (): Promise<AsyncIterable<Stretch>> => {
    if (isUncertain && last !== null) last = await compared(context, last);
    isUncertain = false;
    return stretch(position);
  };
  while (more && !signal.aborted) {
    more = false;
    connection = connections.current();
    try {
      for await (const batch of batchesIn(await begin(), scan)) {
        more = true;
        last = batch;
        yield batch;
      }
    } catch (failure) {
      if (hasAborted(signal)) return;
      const error = understood(failureOf(failure, last));
      throwFinal(error, context, trouble, connection);
      await trouble.pause(error, onTrouble, over);
      [more, isUncertain] = [true, true];
    }
  }
}

function failureOf(error: unknown, last: Place | null): unknown {
  return last !== null && isInvalidPosition(error) ? new InvalidPosition(last.position) : error;
}

async function compared(context: StoreContext, { position, event }: Place): Promise<Place> {
  const found = await lookAt(context, position);
  if (found === null || (event !== null && found !== event)) throw new InvalidPosition(position);
  return { position, event: found };
}

async function* batchesIn(
  stretches: AsyncIterable<Stretch>,
  scan: (scanned: Position) => void,
): AsyncGenerator<Batch, void, void> {
  for await (const { batch, scanned } of stretches) {
    scan(scanned);
    if (batch !== null) yield batch;
  }
}

/** Asked anew: a signal does abort between two looks, whatever the compiler concludes from the first. */
function hasAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
