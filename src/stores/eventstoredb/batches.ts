import { type Batch, type Position, type Recorded, type StreamName } from '../../core/event-log.js';
import { type StreamReader } from './stream-reader.js';
import { positionIn, recorded, type Names, type Resolved, type StoredEvent, weightOf } from './codec.js';

/** What a batch looks at, at most: so much that it fits between two of a thread's other duties. */
const BATCH_EVENTS = 500;
const BATCH_WEIGHT = 2 * 1024 * 1024;

export interface EventSelection {
  readonly names: Names;
  readonly leftOut: readonly string[];
  readonly after: Position | null;
}

export interface EventSource {
  readonly pull: StreamReader;
  /** Gives the next event, waiting for it as long as is right; null at the end. */
  readonly next: () => Promise<Resolved | null>;
  /** A batch goes out as soon as the server has no more ready, rather than when it is full. */
  readonly eager: boolean;
}

/** What was read of the server's log. */
export interface ScannedEvents {
  /** Null if no event of this log is in it. */
  readonly batch: Batch | null;
  /** Of the last event, of whichever log: a reading that breaks off goes on after it. */
  readonly scanned: Position;
}

interface Filling {
  readonly events: Recorded[];
  /** The last event of this log, wanted or not. */
  last: Pick<Batch, 'position' | 'event'> | null;
  scanned: Position | null;
  looked: number;
  weight: number;
}

/** Up to the end of what is sent. An error waits until the events before it have been handed over. */
export async function* batches(from: EventSource, wanted: EventSelection): AsyncGenerator<ScannedEvents, void, void> {
  let after = wanted.after;
  for (;;) {
    const filling: Filling = { events: [], last: null, scanned: after, looked: 0, weight: 0 };
    const outcome = await fill(filling, from, wanted).catch((error: unknown) => ({ error }));
    const { events, last, scanned, looked } = filling;
    if (looked > 0 && scanned !== null) yield { batch: last && { events, ...last }, scanned };
    if (outcome === 'ended') return;
    if (typeof outcome === 'object') throw outcome.error;
    after = scanned;
  }
}

async function fill(filling: Filling, from: EventSource, wanted: EventSelection): Promise<'ended' | 'filled'> {
  while (filling.looked < BATCH_EVENTS && filling.weight < BATCH_WEIGHT) {
    const inTime = from.eager && filling.looked > 0;
    const resolved = inTime ? await from.pull.ready() : await from.next();
    if (resolved === null) return inTime ? 'filled' : 'ended';
    add(filling, resolved, wanted);
  }
  return 'filled';
}

function add(filling: Filling, resolved: Resolved, wanted: EventSelection): void {
  const position = positionIn(resolved);
  // The server begins a reading with the event at the given position itself.
  if (position === undefined || (filling.scanned !== null && position <= filling.scanned)) return;
  const own = ownIn(resolved, wanted);
  if (own !== null) {
    const { stream, event } = own;
    if (!wanted.leftOut.includes(event.type)) filling.events.push(recorded(stream, event));
    filling.last = { position, event: event.id };
  }
  filling.weight += weightOf(resolved.event?.data);
  filling.looked += 1;
  filling.scanned = position;
}

interface Own {
  readonly stream: StreamName;
  readonly event: StoredEvent;
}

function ownIn({ event }: Resolved, { names }: EventSelection): Own | null {
  const stream = event === undefined ? null : names.inLog(event.streamId);
  return event === undefined || stream === null ? null : { stream, event };
}
