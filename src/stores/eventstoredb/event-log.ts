import { setMaxListeners } from 'node:events';
import {
  MaxAppendSizeExceededError,
  NO_STREAM as NO_STORE_STREAM,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { enqueue } from '../../core/concurrency/keyed-queue.js';
import { type OnRetry } from '../../core/concurrency/retry.js';
import {
  type Appended,
  type EventLog,
  NO_STREAM,
  type Position,
  type Revision,
  RevisionConflict,
  type StreamName,
} from '../../core/event-log.js';
import { fractionOf, names, positionOf, type Ready, readyAppend } from './codec.js';
import { connections } from './connection.js';
import { connectionStringFrom } from './connection-string.js';
import { closedLog, Incomplete, tombstoned, tooLarge } from './errors.js';
import { diagnosed, eventAt, logEnd } from './look.js';
import { readAll, subscribe } from './read-all.js';
import { readPart, readStream } from './read-stream.js';
import { retryTransient, type StoreContext, type Timing, TIMING, answerWithin } from './retry.js';

export interface EventStoreDbLog extends EventLog {
  /** Appends handed in before are still seen to their end. Readings that go on fail. */
  close(): Promise<void>;
}

export interface EventStoreDbOptions {
  readonly connectionString: string;
  /** Precedes the name of every stream on the server, and tells them from those of others. Ends in ".". */
  readonly prefix: string;
  /** What the server takes in one append. */
  readonly maxAppendBytes?: number;
  /** Told of what went wrong and will be tried again; the log heals itself. */
  readonly onRetry?: OnRetry;
  readonly timing?: Partial<Timing>;
}

const MAX_APPEND_BYTES = 1024 * 1024;

/** The log in EventStoreDB 22.6 or newer. Rejects with the server's error, or with the reason for no connection. */
export async function eventStoreDbLog(options: EventStoreDbOptions): Promise<EventStoreDbLog> {
  const connection = connectionStringFrom(options.connectionString);
  let lastError: unknown;
  const closing = new AbortController();
  // One for each reading that is under way.
  setMaxListeners(0, closing.signal);
  const context: StoreContext = {
    names: names(options.prefix),
    timing: { ...TIMING, ...options.timing },
    onRetry: (error, pauseMs) => {
      lastError = error;
      options.onRetry?.(error, pauseMs);
    },
    closing: closing.signal,
    connections: connections(connection),
    life: { isOpen: false, answeredAt: -Infinity, brokenUntil: -Infinity },
  };
  const look = logEnd(context);
  const end = () => retryTransient(look, context);
  const underWay = new Set<Promise<unknown>>();

  const close = async (): Promise<void> => {
    await Promise.allSettled(underWay);
    closing.abort();
    await context.connections.close();
  };

  try {
    await end();
    context.life.isOpen = true;
  } catch (error) {
    await close();
    throw await diagnosed(error, lastError, connection);
  }
  return opened(context, { look, end }, underWay, close, options.maxAppendBytes ?? MAX_APPEND_BYTES);
}

function opened(
  context: StoreContext,
  { look, end }: Readonly<Record<'look' | 'end', () => Promise<Position | null>>>,
  underWay: Set<Promise<unknown>>,
  close: () => Promise<void>,
  maxAppendBytes: number,
): EventStoreDbLog {
  let closed: Promise<void> | undefined;
  return {
    append: async (stream, expected, events, metadata) => {
      if (closed !== undefined) throw closedLog();
      const appending = append(context, readyAppend(stream, expected, events, metadata, maxAppendBytes));
      underWay.add(appending);
      return appending.finally(() => underWay.delete(appending));
    },
    read: (stream, part) => readStream(context, stream, part),
    places: (stream, after, most) => retryTransient(() => readPart(context, stream, after + 1, most), context),
    readAll: (after, leftOut, signal) =>
      readAll(context, look, { after, leftOut, signal: signal ?? new AbortController().signal }),
    subscribe: (after, leftOut, signal) => subscribe(context, end, { after, leftOut, signal }),
    end,
    eventAt: (position) => eventAt(context, position),
    fractionAt: fractionOf,
    close: () => (closed ??= close()),
  };
}

/**
 * The same call with the same ids again and again, until its outcome is known: to the server a repetition of what it
 * has stored is a success. Appends to one stream go one after the other, as calls may overtake each other on their way.
 */
function append(context: StoreContext, ready: Ready): Promise<Appended> {
  return enqueue(context, ready.stream, () => retryTransient(() => attempt(context, ready), context));
}

async function attempt(context: StoreContext, ready: Ready): Promise<Appended> {
  const { connections, names, timing } = context;
  const { client, lost } = connections.current();
  const { stream, expected, events } = ready;
  const options = {
    expectedRevision: expected === NO_STREAM ? NO_STORE_STREAM : BigInt(expected),
    deadline: timing.call,
    requiresLeader: true,
  } as const;
  try {
    const call = client.appendToStream(names.inStore(stream), events, options);
    const { nextExpectedRevision, position } = await answerWithin(timing.call, call, lost);
    const revision = Number(nextExpectedRevision);
    return { revision, position: position ? positionOf(position) : await positionAt(context, stream, revision) };
  } catch (error) {
    if (error instanceof WrongExpectedVersionError) {
      const { actualVersion } = error;
      return alreadyAppended(context, ready, typeof actualVersion === 'bigint' ? Number(actualVersion) : NO_STREAM);
    }
    if (error instanceof StreamDeletedError) throw tombstoned(stream);
    if (error instanceof MaxAppendSizeExceededError) throw tooLarge(stream, undefined, error.maxAppendSize);
    throw error;
  }
}

async function positionAt(context: StoreContext, stream: StreamName, revision: Revision): Promise<Position> {
  const [event] = await readPart(context, stream, revision, 1);
  if (event === undefined) throw new Incomplete(`${stream} does not yet show the event at revision ${revision}`);
  return event.position;
}

/** A refusal, unless the events stand there already, from the first time. */
async function alreadyAppended(context: StoreContext, ready: Ready, actual: Revision): Promise<Appended> {
  const { stream, expected, events } = ready;
  if (actual >= expected + events.length) {
    const there = await readPart(context, stream, expected + 1, events.length);
    const last = there.at(-1);
    if (last === undefined || there.length < events.length) {
      throw new Incomplete(`The reading of ${stream} ended before revision ${actual}`);
    }
    const same = there.every(({ id }, n) => id === events[n]?.id.toLowerCase());
    if (same) return { revision: last.revision, position: last.position };
  }
  throw new RevisionConflict(stream, expected, actual);
}
