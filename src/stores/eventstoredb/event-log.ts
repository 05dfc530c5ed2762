import { setMaxListeners } from 'node:events';
import { type OnRetry } from '../../core/concurrency/retry.js';
import { type EventLog, type Position } from '../../core/event-log.js';
import { append, readyAppend } from './append.js';
import { retryTransient, TIMING, type Timing } from './retry.js';
import { circuitBreaker } from './circuit-breaker.js';
import { type ConnectionString, connectionStringFrom } from './connection-string.js';
import { connections } from './connections.js';
import { type StoreContext } from './context.js';
import { eventAt } from './event-at.js';
import { closedLog, denied, isDenial } from './failures.js';
import { diagnoseConnection } from './diagnose-connection.js';
import { fractionOf } from './position.js';
import { logEnd, readAll } from './read-all.js';
import { readPart, readStream } from './read-stream.js';
import { names } from './codec.js';
import { subscribe } from './subscribe.js';

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

/** The log in EventStoreDB 22.6 or newer. Rejects with what the server says, or why it cannot be asked. */
export async function eventStoreDbLog(options: EventStoreDbOptions): Promise<EventStoreDbLog> {
  const connection = connectionStringFrom(options.connectionString);
  const { onRetry, lastError } = rememberingLast(options.onRetry);
  const closing = new AbortController();
  // One for each reading that is under way.
  setMaxListeners(0, closing.signal);
  const stage = { isOpen: false };
  const context = contextOf({ ...options, onRetry }, connection, stage, closing.signal);
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
    stage.isOpen = true;
  } catch (error) {
    await close();
    throw await diagnoseConnection(error, lastError(), connection);
  }
  return opened(context, { look, end }, underWay, close, options.maxAppendBytes ?? MAX_APPEND_BYTES);
}

interface Stage {
  /** The server has let the log in before. */
  isOpen: boolean;
}

function contextOf(
  { prefix, timing: given, onRetry }: EventStoreDbOptions & { readonly onRetry: OnRetry },
  connection: ConnectionString,
  stage: Stage,
  closing: AbortSignal,
): StoreContext {
  const timing = { ...TIMING, ...given };
  return {
    names: names(prefix),
    prefix,
    timing,
    onRetry,
    closing,
    connections: connections(connection),
    breaker: circuitBreaker(timing.coolDown),
    // At the start it is a mistake in the settings, which no other try mends.
    understood: (error) => (stage.isOpen && isDenial(error) ? denied(error) : error),
  };
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
    readAll: (after, leftOut, signal) => readAll(context, look, after, leftOut, signal),
    subscribe: (after, leftOut, signal) => subscribe(context, end, after, leftOut, signal),
    end,
    eventAt: (position) => eventAt(context, position),
    fractionAt: fractionOf,
    close: () => (closed ??= close()),
  };
}

function rememberingLast(told: OnRetry = () => undefined): { onRetry: OnRetry; lastError: () => unknown } {
  let last: unknown;
  return {
    onRetry: (error, pauseMs) => {
      last = error;
      told(error, pauseMs);
    },
    lastError: () => last,
  };
}
