import { BACKWARDS, END, type EventStoreDBClient, type ReadAllOptions } from '@eventstore/db-client';
import { type Position } from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';
import { idIn, ownStream, positionIn, type Resolved, storePosition } from './codec.js';
import { type Connection, storeClient } from './connection.js';
import { type ConnectionString } from './connection-string.js';
import { denial, Incomplete, isDenial, isInvalidPosition, said, TransientError } from './errors.js';
import { retryTransient, type StoreContext } from './retry.js';
import { cancel, silent, type Source } from './stream-reader.js';

/**
 * Hands over one event after the other as it comes, to the end or until enough were taken. Enough cancels the call, which
 * costs more than its end. Rejects with IdleTimeout when the server sends nothing for so long.
 */
export function each(
  { client, lost }: Connection,
  open: (client: EventStoreDBClient) => Source,
  isEnough: (item: Resolved) => boolean,
  idleMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const source = open(client);
    let isOver = false;
    const end = (): void => {
      isOver = true;
      clearTimeout(timer);
      lost.removeEventListener('abort', abort);
      resolve();
    };
    const fail = (error: Error): void => {
      if (isOver) return;
      reject(error);
      end();
      cancel(source);
    };
    const abort = (): void => {
      fail(lost.reason as Error);
    };
    const timer = setTimeout(() => {
      fail(silent(idleMs));
    }, idleMs);
    lost.addEventListener('abort', abort);
    // Flows on after enough: left unread, the client would count the reading as one that goes on.
    source.on('data', (item: Resolved) => {
      if (isOver) return;
      timer.refresh();
      try {
        if (!isEnough(item)) return;
        end();
        cancel(source);
      } catch (error) {
        fail(error as Error);
      }
    });
    source.on('end', end);
    // Stays for ever: ignores errors after the reading has ended.
    source.on('error', fail);
    source.on('close', () => {
      if (!isOver) fail(new TransientError('The reading was cut off'));
    });
    if (lost.aborted) abort();
  });
}

/** Id of the event at a position of the server's log, also of an event of another log. */
export function eventAt(context: StoreContext, position: Position): Promise<string | null> {
  // A wrong one is refused before there is anything to be patient about.
  storePosition(position);
  return retryTransient(() => tryEventAt(context, position), context);
}

/** The same, tried once. */
export async function tryEventAt(
  context: StoreContext,
  position: Position,
  answerMs = context.timing.call,
): Promise<string | null> {
  try {
    const found = await readOne(context, { fromPosition: storePosition(position) }, answerMs);
    if (found === null) return await beyondEnd(context, position, answerMs);
    // The server refuses a position where no record begins. Where it goes on to a later one, a scavenge took the event.
    return positionIn(found) === position ? idIn(found) : null;
  } catch (error) {
    if (isInvalidPosition(error)) return null;
    throw error;
  }
}

/** A reading that breaks off looks like one that finds nothing. */
async function beyondEnd(context: StoreContext, position: Position, answerMs: number): Promise<null> {
  const last = await readOne(context, { fromPosition: END, direction: BACKWARDS }, answerMs);
  const end = last === null ? undefined : positionIn(last);
  if (end === undefined || end >= position) {
    throw new Incomplete('The reading ended before the event that stands there');
  }
  return null;
}

async function readOne(context: StoreContext, options: ReadAllOptions, idleMs?: number): Promise<Resolved | null> {
  const found: Resolved[] = [];
  await look(context, { ...options, maxCount: 1 }, (item) => found.push(item) > 0, idleMs);
  return found[0] ?? null;
}

/** Reads the server's log until it is found, or to the end. */
function look(
  { connections, timing }: StoreContext,
  options: ReadAllOptions,
  isFound: (item: Resolved) => boolean,
  idleMs = timing.call,
): Promise<void> {
  const open = (client: EventStoreDBClient) => client.readAll({ ...options, requiresLeader: true });
  return each(connections.current(), open, (item) => isFound(item) && options.maxCount !== 1, idleMs);
}

/** What a look at the end of the server's log has found, and how far that log went. */
interface Seen {
  readonly whole: Position;
  readonly end: Position | null;
}

/**
 * Looks once for the position of the last event that is ours. Remembers, so that a look goes back no further than the
 * one before.
 */
export function logEnd(context: StoreContext): () => Promise<Position | null> {
  let seen: Seen | null = null;
  return async () => {
    const found = (await newest(context, seen, 1)) ?? (await newest(context, seen, Number.MAX_SAFE_INTEGER));
    seen = found ?? seen;
    return found?.end ?? null;
  };
}

/** Null when so many events were not enough, or there are none. */
async function newest(context: StoreContext, seen: Seen | null, maxCount: number): Promise<Seen | null> {
  const found: { whole?: Position; first?: Position; end?: Position | null } = {};
  await look(context, { fromPosition: END, direction: BACKWARDS, maxCount }, (item) => {
    const position = positionIn(item);
    if (position === undefined) return false;
    found.whole ??= position;
    found.first = position;
    // A log that was restored may end before what was seen.
    if (position === seen?.whole) found.end = seen.end;
    else if (ownStream(item, context.names) !== null) found.end = position;
    return found.end !== undefined;
  });
  const { whole, first, end = null } = found;
  if (whole === undefined || (found.end === undefined && maxCount === 1)) return null;
  if (first !== undefined && found.end === undefined) await checkNoneBefore(context, first);
  return { whole, end };
}

async function checkNoneBefore(context: StoreContext, first: Position): Promise<void> {
  const found = await readOne(context, { fromPosition: storePosition(first), direction: BACKWARDS });
  const before = found === null ? undefined : positionIn(found);
  if (before !== undefined && before < first) throw new Incomplete('The reading ended before the start of the log');
}

const PROBE_MS = 2000;

/** For the author of the connection string: the fault, without its secrets. */
export async function diagnosed(error: unknown, lastError: unknown, connection: ConnectionString): Promise<unknown> {
  if (isDenial(error)) return new Error(`${denial(error, connection.hasUser)}: ${said(error)}`);
  if (!(error instanceof Problem) || lastError === undefined) return error;
  const how = connection.isEncrypted ? 'over TLS' : 'without TLS, because of tls=false';
  const reason = isSearch(connection, lastError) ? await ofEach(connection) : said(lastError);
  return new Problem('unavailable', `EventStoreDB does not answer: ${reason}. It was asked ${how}`);
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
  const server = storeClient(connectionString, { onLost: nothing, onNotFound: nothing });
  const last = { fromPosition: END, direction: BACKWARDS, maxCount: 1 } as const;
  try {
    await each(
      server,
      (client) => client.readAll(last),
      () => false,
      PROBE_MS,
    );
    return 'answers, but knows no member of the cluster that can be asked';
  } catch (error) {
    return said(error);
  } finally {
    await server.close();
  }
}

const nothing = (): void => undefined;
