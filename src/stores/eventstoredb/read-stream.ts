import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  StreamDeletedError,
  StreamNotFoundError,
} from '@eventstore/db-client';
import {
  type Event,
  NO_STREAM,
  type EventHeader,
  type Recorded,
  type Revision,
  type StreamName,
  type StreamPart,
  type StreamRead,
} from '../../core/event-log.js';
import { retryTransient } from './retry.js';
import { type StoreContext } from './context.js';
import { Incomplete, StreamLost } from './errors.js';
import { isDenial } from './failures.js';
import { BUFFER, streamReader } from './stream-reader.js';
import { headerOf, recorded, type StoredEvent } from './codec.js';

export const TOMBSTONED = 'the stream is tombstoned';

/** How often a stream that exists has to show no event, so that it is not a reading that was cut off. */
const LOOKS = 2;

/** Nobody but the service may shorten a stream: an event that is missing is an error. */
export function readStream<E extends Event>(
  context: StoreContext,
  stream: StreamName,
  part: StreamPart = { from: 0 },
): Promise<StreamRead<E>> {
  const reading = 'from' in part ? readFrom(context, stream, part.from) : readLast(context, stream, part.last);
  return reading as Promise<StreamRead<E>>;
}

/**
 * A reading that breaks off looks like a complete one, so the stream's last revision is asked for beside it, and what is
 * missing is read on.
 */
function readFrom(context: StoreContext, stream: StreamName, from: Revision): Promise<StreamRead<Event>> {
  const events: Recorded[] = [];
  const work = async () => {
    for (;;) {
      const before = events.length;
      const last = await besides(lastRevision(context, stream), readOn(context, stream, from, events));
      const reached = events.at(-1)?.revision ?? from - 1;
      if (last === NO_STREAM) await refuseDeleted(context, stream);
      if (reached >= last) return { events, revision: events.length === 0 ? last : reached };
      if (events.length === before) throw new Incomplete(`The reading of ${stream} ended before revision ${last}`);
    }
  };
  return retryTransient(work, context);
}

/** Complete once as many events have come as were asked for, or the first one of the stream. */
function readLast(context: StoreContext, stream: StreamName, count: number): Promise<StreamRead<Event>> {
  const work = async () => {
    const events = (await lastEvents(context, stream, count)).map((event) => recorded(stream, event));
    const [first] = events;
    if (first === undefined) await refuseDeleted(context, stream);
    else if (first.revision > 0 && events.length < count) {
      throw new Incomplete(`The reading of the last ${count} events of ${stream} ended after ${events.length}`);
    }
    return { events, revision: events.at(-1)?.revision ?? NO_STREAM };
  };
  return retryTransient(work, context);
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
): Promise<readonly EventHeader[]> {
  const events: EventHeader[] = [];
  await each(context, stream, { fromRevision: BigInt(from), maxCount: count }, (event) => {
    events.push(headerOf(stream, event));
  });
  return events;
}

/** Of the stream as it is now. */
export async function lastRevision(context: StoreContext, stream: StreamName): Promise<Revision> {
  const last = (await lastEvents(context, stream, 1)).at(-1);
  return last === undefined ? NO_STREAM : headerOf(stream, last).revision;
}

const lastOf = (count: number) => ({ fromRevision: END, direction: BACKWARDS, maxCount: count }) as const;

/** So many at most, in their order. None where the stream does not exist. */
async function lastEvents(context: StoreContext, stream: StreamName, count: number): Promise<readonly StoredEvent[]> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const events: StoredEvent[] = [];
    const exists = await each(context, stream, lastOf(count), (event) => {
      events.push(event);
    });
    if (events.length > 0 || !exists) return events.reverse();
  }
  throw new StreamLost(stream, 'it exists, but shows no event');
}

async function refuseDeleted(context: StoreContext, stream: StreamName): Promise<void> {
  if (await isDeleted(context, stream)) throw new StreamLost(stream, 'it was deleted');
}

/** A stream that was deleted is told apart from one that was never written to by its metadata alone. */
async function isDeleted(context: StoreContext, stream: StreamName): Promise<boolean> {
  let truncatedBefore: unknown;
  try {
    await eachIn(context, `$$${context.names.inStore(stream)}`, lastOf(1), ({ data }) => {
      truncatedBefore = (data as { readonly $tb?: unknown } | null)?.$tb;
    });
  } catch (error) {
    if (!isDenial(error)) throw error;
  }
  return typeof truncatedBefore === 'number' && truncatedBefore > 0;
}

/** What has come before a failure stays collected. */
async function readOn(context: StoreContext, stream: StreamName, from: Revision, events: Recorded[]): Promise<void> {
  const begin = from + events.length;
  await each(context, stream, begin === 0 ? {} : { fromRevision: BigInt(begin) }, (event) => {
    const { revision } = headerOf(stream, event);
    const expected = from + events.length;
    if (revision !== expected) {
      throw new StreamLost(stream, `it has no event at revision ${expected}, and the next one at ${revision}`);
    }
    events.push(recorded(stream, event));
  });
}

type Options = NonNullable<Parameters<EventStoreDBClient['readStream']>[1]>;

/** False for a stream that nobody has written to, and for one that was deleted. */
async function each(
  context: StoreContext,
  stream: StreamName,
  options: Options,
  take: (event: StoredEvent) => void,
): Promise<boolean> {
  try {
    return await eachIn(context, context.names.inStore(stream), options, take);
  } catch (error) {
    if (error instanceof StreamDeletedError) throw new StreamLost(stream, TOMBSTONED);
    throw error;
  }
}

async function eachIn(
  { connections, timing, closing }: StoreContext,
  storeName: string,
  options: Options,
  take: (event: StoredEvent) => void,
): Promise<boolean> {
  const { client, lost } = connections.current();
  // A follower may not have yet what was acknowledged.
  const source = streamReader(
    client.readStream(storeName, { ...options, requiresLeader: true }, BUFFER),
    closing,
    lost,
  );
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
