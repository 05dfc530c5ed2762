import { type Batch, type Position } from '../core/event-log.js';
import { pauses, throwFinal } from './eventstoredb-calls.js';
import { type StoreContext } from './eventstoredb-context.js';

export interface Resuming {
  readonly after: Position | null;
  readonly signal: AbortSignal;
  /** Aborts with the signal, and when the log is closed. */
  readonly over: AbortSignal;
  /** How long trouble may last; any batch begins it anew. */
  readonly patience: number;
  /** Reads from the server once, after a position. */
  readonly stretch: (after: Position | null) => AsyncIterable<Batch>;
}

/**
 * Reads after the last batch handed over, again and again, until there is nothing more: what comes meanwhile is found
 * too, and what breaks off goes on where it was. Ends without an error once the signal has aborted.
 */
export async function* resumed(
  context: StoreContext,
  { after, signal, over, patience, stretch }: Resuming,
): AsyncGenerator<Batch, void, void> {
  const { timing, onTrouble } = context;
  const trouble = pauses({ ...timing, patience });
  let position = after;
  let more = true;
  while (more && !signal.aborted) {
    more = false;
    try {
      for await (const batch of stretch(position)) {
        position = batch.position;
        more = true;
        trouble.reset();
        yield batch;
      }
    } catch (error) {
      if (hasAborted(signal)) return;
      throwFinal(error, context, trouble);
      await trouble.pause(error, onTrouble, over);
      more = true;
    }
  }
}

/** Asked anew: a signal does abort between two looks, whatever the compiler concludes from the first. */
function hasAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
