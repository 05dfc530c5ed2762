import { type Batch, type Position, type Recorded } from '../core/event-log.js';
import { type Pull } from './eventstoredb-pull.js';
import { positionIn, recorded, type Names, type Resolved, weightOf } from './eventstoredb-recorded.js';

/** What a batch looks at, at most: so much that it fits between two of a thread's other duties. */
const BATCH_EVENTS = 500;
const BATCH_WEIGHT = 2 * 1024 * 1024;

export interface Wanted {
  readonly names: Names;
  /** Empty for all. */
  readonly types: readonly string[];
  readonly after: Position | null;
}

export interface Gathering {
  readonly pull: Pull;
  /** Gives the next event, waiting for it as long as is right; null at the end. */
  readonly next: () => Promise<Resolved | null>;
  /** A batch goes out as soon as the server has no more ready, rather than when it is full. */
  readonly eager: boolean;
}

interface Filling {
  readonly events: Recorded[];
  position: Position | null;
  looked: number;
  weight: number;
}

/** Up to the end of what is sent. An error waits until the events before it have been handed over. */
export async function* batches(from: Gathering, wanted: Wanted): AsyncGenerator<Batch, void, void> {
  let after = wanted.after;
  for (;;) {
    const filling: Filling = { events: [], position: after, looked: 0, weight: 0 };
    const outcome = await fill(filling, from, wanted).catch((error: unknown) => ({ error }));
    const { events, position, looked } = filling;
    if (looked > 0 && position !== null) yield { events, position };
    if (outcome === 'ended') return;
    if (typeof outcome === 'object') throw outcome.error;
    after = position;
  }
}

async function fill(filling: Filling, from: Gathering, wanted: Wanted): Promise<'ended' | 'filled'> {
  while (filling.looked < BATCH_EVENTS && filling.weight < BATCH_WEIGHT) {
    const inTime = from.eager && filling.looked > 0;
    const resolved = inTime ? await from.pull.ready() : await from.next();
    if (resolved === null) return inTime ? 'filled' : 'ended';
    add(filling, resolved, wanted);
  }
  return 'filled';
}

function add(filling: Filling, resolved: Resolved, wanted: Wanted): void {
  const position = positionIn(resolved);
  // The server begins a reading with the event at the given position itself.
  if (position === undefined || (filling.position !== null && position <= filling.position)) return;
  const event = wantedIn(resolved, wanted);
  if (event !== null) filling.events.push(event);
  filling.weight += weightOf(resolved.event?.data);
  filling.looked += 1;
  filling.position = position;
}

function wantedIn({ event }: Resolved, { names, types }: Wanted): Recorded | null {
  if (event === undefined || (types.length > 0 && !types.includes(event.type))) return null;
  const stream = names.inLog(event.streamId);
  return stream === null ? null : recorded(stream, event);
}
