import { type Decider } from '../../core/decider.js';
import { type Event, type EventReader, type Position, type Revision, type StreamName } from '../../core/event-log.js';
import { emptyStream, foldedOn } from '../../core/folded-streams.js';
import { streamSlices } from '../../core/stream-slices.js';

/** What the events of a stream before a position come to; null if that is nothing. */
export async function stateAt<State, E extends Event>(
  log: EventReader,
  stream: StreamName,
  decider: Decider<State | null, never, E>,
  before: Position,
): Promise<{ readonly state: State; readonly revision: Revision } | null> {
  let folded = emptyStream(decider);
  for await (const events of streamSlices<E>(log, stream)) {
    const earlier = events.filter(({ position }) => position < before);
    folded = foldedOn(decider, earlier, folded);
    if (earlier.length < events.length) break;
  }
  const { state, revision } = folded.current;
  return state === null ? null : { state, revision };
}
