import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  StreamDeletedError,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { READ_BYTES } from '../../core/bounds.js';
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
import { lacking, StreamLost } from './errors.js';
import { isDenial } from './failures.js';
import { BUFFER, streamReader } from './stream-reader.js';
import { headerOf, recorded, type StoredEvent, weightOf } from './codec.js';

export const TOMBSTONED = 'the stream is tombstoned';

/** How often a stream that exists has to show no further event, so that it is not a reading that was cut off. */
const LOOKS = 2;

/** What is new since a revision is little: the server need not look for more at first. */
const FEW = 8;

/**
 * Nobody but the service may shorten a stream: an event that is missing is an error. The end of a stream is read
 * backwards: a reading that breaks off looks like one that is complete, but for the event that has to come last.
 */
export async function readStream<E extends Event>(
  context: StoreContext,
  stream: StreamName,
  part?: StreamPart,
): Promise<StreamRead<E>> {
  const range = rangeOf(part);
  const taken: Taken = { events: [], weight: 0 };
  await retryTransient(() => take(context, stream, range, taken), context);
  const { events } = taken;
  if (range.step === -1) events.reverse();
  const wanted = events.filter(({ revision }) => revision >= range.from) as readonly Recorded[];
  return { events: wanted as readonly Recorded<E>[], revision: events.at(-1)?.revision ?? NO_STREAM };
}

/** Of the stream as it is now. One try. */
export async function lastRevision(context: StoreContext, stream: StreamName): Promise<Revision> {
  const taken: Taken = { events: [], weight: 0 };
  await take(context, stream, rangeOf({ last: 1 }), taken);
  return taken.events[0]?.revision ?? NO_STREAM;
}

interface Range {
  /** The event that comes first; null for the last of the stream. */
  readonly start: Revision | null;
  readonly step: 1 | -1;
  /** Those before it in the stream are not wanted. */
  readonly from: Revision;
  readonly count: number;
  readonly bytes: number;
}

function rangeOf(part?: StreamPart): Range {
  if (part === undefined) return { start: null, step: -1, from: 0, count: Infinity, bytes: Infinity };
  const { from = 0 } = part;
  if ('to' in part) return { start: from, step: 1, from, count: part.to + 1 - from, bytes: READ_BYTES };
  return { start: null, step: -1, from, count: part.last, bytes: READ_BYTES };
}

/** In the order in which they came. What has come before a failure stays. */
interface Taken {
  readonly events: Recorded[];
  weight: number;
}

async function take(context: StoreContext, stream: StreamName, range: Range, taken: Taken): Promise<void> {
  const { events } = taken;
  const add = (event: StoredEvent): boolean => {
    const next = recorded(stream, event);
    const expected = nextOf(range, events) ?? next.revision;
    if (next.revision !== expected) throw lacking(stream, Math.max(next.revision, expected - range.step));
    events.push(next);
    taken.weight += weightOf(next.data) + weightOf(next.metadata);
    return isEnough(range, taken);
  };
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const before = events.length;
    const exists = await each(context, stream, optionsFor(range, events), add);
    if (!exists) await refuseDeleted(context, stream);
    if (!exists || isEnough(range, taken)) return;
    if (events.length > before) looks = -1;
  }
  throw lacking(stream, range.step === 1 ? undefined : events.at(-1)?.revision);
}

function isEnough({ step, from, count, bytes }: Range, { events, weight }: Taken): boolean {
  const reached = events.at(-1)?.revision ?? Infinity;
  return events.length >= count || weight >= bytes || (step === -1 && reached <= from);
}

function nextOf({ start, step }: Range, events: readonly Recorded[]): Revision | undefined {
  const before = events.at(-1)?.revision;
  return before === undefined ? (start ?? undefined) : before + step;
}

function optionsFor(range: Range, events: readonly Recorded[]): Options {
  const next = nextOf(range, events);
  const most = range.from > 0 && next === undefined ? FEW : Infinity;
  const maxCount = Math.min(most, range.count - events.length);
  return {
    fromRevision: next === undefined ? END : BigInt(next),
    direction: range.step === 1 ? FORWARDS : BACKWARDS,
    ...(maxCount < Infinity && { maxCount }),
  };
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
