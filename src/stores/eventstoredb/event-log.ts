import { setMaxListeners } from 'node:events';
import { BACKWARDS, END } from '@eventstore/db-client';
import { messageOf, type OnRetry } from '../../core/concurrency/retry.js';
import { type EventLog, type Position } from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';
import { append, readyAppend } from './append.js';
import { fractionOf, names } from './codec.js';
import { type ConnectionString, connectionStringFrom } from './connection-string.js';
import { connections, storeClient } from './connections.js';
import { closedLog, isDenial, isUnauthenticated } from './errors.js';
import { eventAt, logEnd } from './event-at.js';
import { readAll, subscribe } from './read-all.js';
import { readPart, readStream } from './read-stream.js';
import { retryTransient, type StoreContext, type Timing, TIMING } from './retry.js';
import { streamReader } from './stream-reader.js';

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
  const { onRetry, lastError } = rememberingLast(options.onRetry);
  const closing = new AbortController();
  // One for each reading that is under way.
  setMaxListeners(0, closing.signal);
  const context = contextOf({ ...options, onRetry }, connection, closing.signal);
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
    throw await diagnosed(error, lastError(), connection);
  }
  return opened(context, { look, end }, underWay, close, options.maxAppendBytes ?? MAX_APPEND_BYTES);
}

function contextOf(
  { prefix, timing, onRetry }: EventStoreDbOptions & { readonly onRetry: OnRetry },
  connection: ConnectionString,
  closing: AbortSignal,
): StoreContext {
  return {
    names: names(prefix),
    timing: { ...TIMING, ...timing },
    onRetry,
    closing,
    connections: connections(connection),
    life: { isOpen: false, answeredAt: -Infinity, brokenUntil: -Infinity },
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
    readAll: (after, leftOut, signal) =>
      readAll(context, look, { after, leftOut, signal: signal ?? new AbortController().signal }),
    subscribe: (after, leftOut, signal) => subscribe(context, end, { after, leftOut, signal }),
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

const PROBE_MS = 2000;

/** For the author of the connection string: the fault, without its secrets. */
async function diagnosed(error: unknown, lastError: unknown, connection: ConnectionString): Promise<unknown> {
  if (isDenial(error)) return new Error(`${denial(error, connection)}: ${said(error)}`);
  if (!(error instanceof Problem) || lastError === undefined) return error;
  const how = connection.isEncrypted ? 'over TLS' : 'without TLS, because of tls=false';
  const reason = isSearch(connection, lastError) ? await ofEach(connection) : said(lastError);
  return new Problem('unavailable', `EventStoreDB does not answer when it is asked ${how}: ${reason}`);
}

function denial(error: unknown, { hasUser }: ConnectionString): string {
  if (isUnauthenticated(error)) return 'EventStoreDB does not accept the user name or the password';
  return hasUser
    ? 'EventStoreDB does not let this user read the log as a whole'
    : 'EventStoreDB wants a user name and a password';
}

/** Of a search for the leader the client tells no more than that it has failed, if it comes to an end at all. */
function isSearch({ hosts }: ConnectionString, error: unknown): boolean {
  return hosts.length > 1 || (error instanceof Error && error.message.startsWith('Failed to discover'));
}

async function ofEach({ hosts }: ConnectionString): Promise<string> {
  const findings = await Promise.all(hosts.map(async ({ host, alone }) => `${host}: ${await found(alone)}`));
  return [...new Set(findings)].join('; ');
}

async function found(connectionString: string): Promise<string> {
  const { client, close } = storeClient(connectionString, { onLost: nothing, onNotFound: nothing });
  const read = client.readAll({ fromPosition: END, direction: BACKWARDS, maxCount: 1 });
  const source = streamReader(read, new AbortController().signal);
  try {
    await source.next(PROBE_MS);
    return 'answers, but knows no member of the cluster that can be asked';
  } catch (error) {
    return said(error);
  } finally {
    source.stop();
    await close();
  }
}

const nothing = (): void => undefined;

function said(error: unknown): string {
  return messageOf(error)
    .replaceAll(/\s+/g, ' ')
    .replace(/\.? Resolution note: ?$/, '');
}
