import { BACKWARDS, END, StreamNotFoundError } from '@eventstore/db-client';
import {
  type Event,
  NO_STREAM,
  type Recorded,
  type Revision,
  type StreamName,
  type StreamRead,
} from '../core/event-log.js';
import { type Placed } from './event-json.js';
import { Passing, patiently } from './eventstoredb-calls.js';
import { type StoreContext } from './eventstoredb-context.js';
import { BUFFER, pull } from './eventstoredb-pull.js';
import { placed, recorded, type StoredEvent } from './eventstoredb-recorded.js';

/**
 * The whole stream. A reading that breaks off looks like a complete one, so the stream's last revision is asked for
 * beside it, and what is missing is read on.
 */
export function readStream<E extends Event>(context: StoreContext, stream: StreamName): Promise<StreamRead<E>> {
  const events: Recorded[] = [];
  const work = async () => {
    for (;;) {
      const before = events.length;
      const last = await besides(lastRevision(context, stream), readOn(context, stream, events));
      const revision = events.at(-1)?.revision ?? NO_STREAM;
      if (revision >= last) return { events: events as unknown as readonly Recorded<E>[], revision };
      if (events.length === before) throw new Passing(`The reading of ${stream} ended before revision ${last}`);
    }
  };
  return patiently(work, context);
}

/** Waits for both even if one fails: another try must not meet a reading that still goes on. */
async function besides<T>(wanted: Promise<T>, other: Promise<void>): Promise<T> {
  await Promise.allSettled([wanted, other]);
  await other;
  return wanted;
}

/** Where the events from a revision on stand, as many as there are of `count`. */
export async function readPart(
  context: StoreContext,
  stream: StreamName,
  from: Revision,
  count: number,
): Promise<readonly Placed[]> {
  const events: Placed[] = [];
  await each(context, stream, { fromRevision: BigInt(from), maxCount: count }, (event) => {
    events.push(placed(stream, event));
  });
  return events;
}

/** Of the stream as it is now. */
export async function lastRevision(context: StoreContext, stream: StreamName): Promise<Revision> {
  let last = NO_STREAM;
  const options = { fromRevision: END, direction: BACKWARDS, maxCount: 1 } as const;
  const exists = await each(context, stream, options, (event) => {
    last = placed(stream, event).revision;
  });
  if (last === NO_STREAM && exists) throw new Passing(`The reading of ${stream} ended before its last event`);
  return last;
}

/** What has come before a failure stays collected. */
async function readOn(context: StoreContext, stream: StreamName, events: Recorded[]): Promise<void> {
  const from = events.length;
  await each(context, stream, from === 0 ? {} : { fromRevision: BigInt(from) }, (event) => {
    const { revision } = placed(stream, event);
    if (revision !== events.length) {
      throw new Error(`${stream} has no event at revision ${events.length}: the next one is at ${revision}`);
    }
    events.push(recorded(stream, event));
  });
}

type Options = NonNullable<Parameters<StoreContext['client']['readStream']>[1]>;

/** False for a stream that nobody has written to. */
async function each(
  { client, names, timing, closing }: StoreContext,
  stream: StreamName,
  options: Options,
  take: (event: StoredEvent) => void,
): Promise<boolean> {
  // A follower may not have yet what was acknowledged.
  const fromLeader = { ...options, requiresLeader: true };
  const source = pull(client.readStream(names.inStore(stream), fromLeader, BUFFER), closing);
  try {
    for (let item = await source.next(timing.call); item !== null; item = await source.next(timing.call)) {
      if (item.event !== undefined) take(item.event);
    }
    return true;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return false;
    throw error;
  } finally {
    source.stop();
  }
}
