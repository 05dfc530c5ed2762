/**
 * Stops a projection until a rebuild or a restart. The causes are an event that cannot be read or applied (Poisoned), a
 * first filling that is not sound, and a log that is not the one that the read models were made from.
 */
import { PermanentError, retry } from '../../src/core/concurrency/retry.js';
import { NotHeld } from './held-event.js';
import { happened, onRetryOf, withdraw, type Context } from './projector-reports.js';
import { Poisoned } from './readable-batches.js';

/** Stops at an event, and begins anew where the log has another past by now. */
export async function giveUp(context: Context, error: PermanentError, signal: AbortSignal): Promise<void> {
  if (!(error instanceof NotHeld)) return stop(context, error);
  const { missing } = error;
  const { served } = context.state.status;
  // A log that refuses the position does not say which event the generation stands at.
  const expected = missing.expected ?? (served?.position === missing.position ? served.event : null);
  try {
    await retry(() => withdraw(context, { ...missing, expected }), signal, onRetryOf(context));
  } catch (refusal) {
    if (signal.aborted) return;
    if (!(refusal instanceof PermanentError)) throw refusal;
    await stop(context, refusal);
  }
}

export async function stop(context: Context, error: PermanentError): Promise<void> {
  const { projection, ports, state, report } = context;
  const poison = error instanceof Poisoned ? error.poison : null;
  const serving = (): Promise<unknown> => ports.store.serving(projection.name);
  const isServed = state.status.served !== null || (await retry(serving, ports.signal, onRetryOf(context))) !== null;
  const stopped = { type: 'stopped', reason: error.message, poison } as const;
  happened(context, stopped);
  report({ ...stopped, projection: projection.name, isServed });
}
