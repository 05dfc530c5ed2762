import { othersTurn } from './concurrency/others-turn.js';
import { type Event, type EventReader, type Recorded, type StreamName } from './event-log.js';

/** Most streams are no longer. */
const SLICE = 500;

/**
 * All events of a stream as it is now, in their order. No more than two slices are held, however long it is, and other
 * work of the thread comes in between.
 */
export async function* streamSlices<E extends Event>(
  log: Pick<EventReader, 'read'>,
  stream: StreamName,
): AsyncGenerator<readonly Recorded<E>[], void, void> {
  const { events: last } = await log.read<E>(stream, { last: SLICE });
  const [first] = last;
  if (first === undefined) return;
  for (let from = 0; from < first.revision; from += SLICE) {
    const to = Math.min(from + SLICE, first.revision) - 1;
    yield (await log.read<E>(stream, { from, to })).events;
    await othersTurn();
  }
  yield last;
}
