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
import { StreamLost } from './errors.js';
import { isDenial } from './failures.js';
import { BUFFER, streamReader } from './stream-reader.js';
import { headerOf, recorded, type StoredEvent } from './codec.js';

export const TOMBSTONED = 'the stream is tombstoned';

/** How often a stream that exists has to show no further event, so that it is not a reading that was cut off. */
const LOOKS = 2;

/** What is new since a revision is little: the server need not look for more at first. */
const FEW = 8;

/**
 * Nobody but the service may shorten a stream: an event that is missing is an error. Streams are read backwards: a
 * reading that breaks off looks like one that is complete, but for the event that has to come last.
 */
export async function readStream<E extends Event>(
  context: StoreContext,
  stream: StreamName,
  part: StreamPart = { from: 0 },
): Promise<StreamRead<E>> {
  const range = rangeOf(part);
  const events: Recorded[] = [];
  await retryTransient(() => readBack(context, stream, range, events), context);
  const wanted = events.filter(({ revision }) => revision >= range.from).reverse() as readonly Recorded[];
  return { events: wanted as readonly Recorded<E>[], revision: events[0]?.revision ?? NO_STREAM };
}

/** Of the stream as it is now. One try. */
export async function lastRevision(context: StoreContext, stream: StreamName): Promise<Revision> {
  const events: Recorded[] = [];
  await readBack(context, stream, rangeOf({ last: 1 }), events);
  return events[0]?.revision ?? NO_STREAM;
}

interface Range {
  /** The event that comes last; those before it in the stream are not wanted. */
  readonly from: Revision;
  /** The one that comes first; null for the last of the stream. */
  readonly to: Revision | null;
  readonly count: number;
}

function rangeOf(part: StreamPart): Range {
  if ('last' in part) return { from: 0, to: null, count: part.last };
  const { from, to } = part;
  return to === undefined ? { from, to: null, count: Infinity } : { from, to, count: to + 1 - from };
}

/** Collects the events, the last of them first. What has come before a failure stays collected. */
async function readBack(context: StoreContext, stream: StreamName, range: Range, events: Recorded[]): Promise<void> {
  const isComplete = (): boolean => {
    const reached = events.at(-1)?.revision;
    return reached !== undefined && (reached <= range.from || events.length >= range.count);
  };
  const take = (event: StoredEvent): boolean => {
    const before = events.at(-1)?.revision;
    const next = recorded(stream, event);
    if (before !== undefined && next.revision !== before - 1) throw lacking(stream, before);
    events.push(next);
    return isComplete();
  };
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const before = events.length;
    const exists = await each(context, stream, back(range, events), take);
    if (!exists) await refuseDeleted(context, stream);
    if (!exists || isComplete()) return;
    if (events.length > before) looks = -1;
  }
  throw lacking(stream, events.at(-1)?.revision);
}

function back({ from, to, count }: Range, events: readonly Recorded[]): Options {
  const next = events.at(-1)?.revision ?? (to === null ? undefined : to + 1);
  const maxCount = from > 0 && count === Infinity ? FEW : count - events.length;
  return {
    fromRevision: next === undefined ? END : BigInt(next - 1),
    direction: BACKWARDS,
    ...(maxCount < Infinity && { maxCount }),
  };
}

function lacking(stream: StreamName, first: Revision | undefined): StreamLost {
  const reason = first === undefined ? 'it exists, but shows no event' : `it has no event before revision ${first}`;
  return new StreamLost(stream, reason);
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
    return false;
  });
  return events;
}

const LAST: Options = { fromRevision: END, direction: BACKWARDS, maxCount: 1 };

async function refuseDeleted(context: StoreContext, stream: StreamName): Promise<void> {
  if (await isDeleted(context, stream)) throw new StreamLost(stream, 'it was deleted');
}

/** A stream that was deleted is told apart from one that was never written to by its metadata alone. */
async function isDeleted(context: StoreContext, stream: StreamName): Promise<boolean> {
  let truncatedBefore: unknown;
  try {
    await eachIn(context, `$$${context.names.inStore(stream)}`, LAST, ({ data }) => {
      truncatedBefore = (data as { readonly $tb?: unknown } | null)?.$tb;
      return true;
    });
  } catch (error) {
    if (!isDenial(error)) throw error;
  }
  return typeof truncatedBefore === 'number' && truncatedBefore > 0;
}

type Options = NonNullable<Parameters<EventStoreDBClient['readStream']>[1]>;

/** Until enough was taken. False for a stream that nobody has written to, and for one that was deleted. */
async function each(
  context: StoreContext,
  stream: StreamName,
  options: Options,
  take: (event: StoredEvent) => boolean,
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
  take: (event: StoredEvent) => boolean,
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
      if (item.event !== undefined && take(item.event)) break;
    }
    return true;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return false;
    throw error;
  } finally {
    source.stop();
  }
}
