import { InvalidPosition, UnreadableEvent } from '../../src/core/event-log.js';
import { type EventRegistry } from '../../src/core/event-types.js';
import { type UnderstoodBatch } from '../../src/core/logs/understood-log.js';
import { PermanentError } from '../../src/core/concurrency/retry.js';
import { type Poison } from './apply-batch.js';
import { type AnyProjection } from './generation-progress.js';
import { NotHeld } from './held-event.js';
import { makesUseOf } from './marking.js';

export class Poisoned extends PermanentError {
  override readonly name = 'Poisoned';
  readonly poison: Poison;

  constructor(projection: string, poison: Poison) {
    const { type, stream, revision, position, reason } = poison;
    super(`${projection} cannot apply ${type}, revision ${revision} of ${stream} at position ${position}: ${reason}`);
    this.poison = poison;
  }
}

/**
 * What the log gives a projection, without what is not understood in streams that are of no use to it. An event that
 * cannot be read is poison like one that cannot be applied.
 */
export async function* batchesFor(
  projection: AnyProjection,
  eventTypes: EventRegistry,
  batches: AsyncIterable<UnderstoodBatch>,
): AsyncGenerator<UnderstoodBatch, void, void> {
  try {
    for await (const batch of batches) {
      const unsupported = batch.unsupported.filter(({ stream }) => makesUseOf(projection, stream, eventTypes));
      yield { ...batch, unsupported };
    }
  } catch (error) {
    if (error instanceof InvalidPosition) {
      throw new NotHeld(projection.name, { position: error.position, expected: null, found: null });
    }
    if (!(error instanceof UnreadableEvent)) throw error;
    const { type, stream, revision, position, reason } = error;
    throw new Poisoned(projection.name, { type, stream, revision, position, reason });
  }
}
