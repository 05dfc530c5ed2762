import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  type ReadStreamOptions,
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
import { headerOf, recorded, type Resolved, type StoredEvent, weightOf } from './codec.js';
import { isDenial, lacking, StreamLost, tombstoned } from './errors.js';
import { each } from './look.js';
import { retryTransient, type StoreContext } from './retry.js';

/** How often a stream that exists has to show no further event, so that it is not a reading that was cut off. */
const LOOKS = 2;

/** What is new since a revision is little: the server need not look for more at first. */
const FEW = 8;

/**
 * Only the service may shorten a stream: an event that is missing is an error. The end of a stream is read backwards. A
 * reading that breaks off looks complete, apart from the event that must come last.
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
    if (range.bytes < Infinity) taken.weight += weightOf(next.data) + weightOf(next.metadata);
    return isEnough(range, taken);
  };
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if (isEnough(range, taken)) return;
    const before = events.length;
    const exists = await eachOf(context, stream, optionsFor(range, events), add);
    if (!exists) return refuseDeleted(context, stream);
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

function optionsFor(range: Range, events: readonly Recorded[]): ReadStreamOptions {
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
  await eachOf(context, stream, { fromRevision: BigInt(from), maxCount: count }, (event) => {
    events.push(headerOf(stream, event));
    return false;
  });
  return events;
}

/** Only the metadata distinguishes a deleted stream from an empty one. */
async function refuseDeleted(context: StoreContext, stream: StreamName): Promise<void> {
  let truncatedBefore: unknown;
  const last = { fromRevision: END, direction: BACKWARDS, maxCount: 1 } as const;
  try {
    const look = ({ data }: StoredEvent): boolean => {
      truncatedBefore = (data as { readonly $tb?: unknown } | null)?.$tb;
      return true;
    };
    await eachOf(context, stream, last, look, '$$');
  } catch (error) {
    if (!isDenial(error)) throw error;
  }
  if (typeof truncatedBefore === 'number' && truncatedBefore > 0) throw new StreamLost(stream, 'it was deleted');
}

/** To the end, or until enough were taken. False for a stream that no client has written to, and for one that was deleted. */
async function eachOf(
  { connections, names, timing }: StoreContext,
  stream: StreamName,
  options: ReadStreamOptions,
  isEnough: (event: StoredEvent) => boolean,
  prefix = '',
): Promise<boolean> {
  const storeName = `${prefix}${names.inStore(stream)}`;
  let left = Number(options.maxCount ?? Infinity);
  // A follower may not have yet what was acknowledged.
  const open = (client: EventStoreDBClient) => client.readStream(storeName, { ...options, requiresLeader: true });
  const take = ({ event }: Resolved): boolean => {
    left -= 1;
    if (event === undefined || !isEnough(event)) return false;
    return left > 0 && !(options.direction === BACKWARDS && event.revision === 0n);
  };
  try {
    await each(connections.current(), open, take, timing.call);
    return true;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return false;
    throw error instanceof StreamDeletedError ? tombstoned(stream) : error;
  }
}
