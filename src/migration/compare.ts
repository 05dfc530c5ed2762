import { type EventReader, type Position, type Recorded } from '../core/event-log.js';
import { differingFacts, eventsAfter, lineOf, nameOf } from './events.js';
import { Refused } from './refused.js';

export interface Compared {
  /** Id of the first event. */
  readonly firstEvent: string;
  /** How many events the source holds. */
  readonly events: number;
  /** How many of them the target holds already. */
  readonly existing: number;
  /** Of the last of those, in the source. */
  readonly after: Position | null;
  /** Of the last event of the source. */
  readonly end: Position | null;
}

/** Both logs in step. Refuses an empty source, and a target that holds anything but the beginning of the source. */
export async function compared(
  source: EventReader,
  target: EventReader,
  seen: (event: Recorded) => void,
  signal: AbortSignal,
): Promise<Compared> {
  const there = eventsAfter(target, null, signal);
  let [events, existing] = [0, 0];
  let [after, end]: (Position | null)[] = [null, null];
  let firstEvent: string | null = null;
  let other = await there.next();
  for await (const event of eventsAfter(source, null, signal)) {
    events += 1;
    end = event.position;
    firstEvent ??= event.id;
    seen(event);
    if (other.done === true) continue;
    refuseOther(event, other.value, events);
    existing = events;
    after = end;
    other = await there.next();
  }
  // An empty directory, or an unused prefix.
  if (firstEvent === null) throw new Refused('The source holds no events');
  if (other.done !== true) {
    throw new Refused(`The target holds more than the ${events} events of the source: next, ${nameOf(other.value)}`);
  }
  return { firstEvent, events, existing, after: after ?? null, end: end ?? null };
}

function refuseOther(event: Recorded, other: Recorded, number: number): void {
  if (lineOf(event) === lineOf(other)) return;
  const facts = differingFacts(event, other).join(', ');
  const what = `in the source it is ${nameOf(event)}, in the target ${nameOf(other)}; they differ in ${facts}`;
  throw new Refused(`The target holds another log. The first difference is event ${number}: ${what}`);
}
