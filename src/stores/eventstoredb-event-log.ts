import { setMaxListeners } from 'node:events';
import { type EventLog } from '../core/event-log.js';
import { append, readyAppend } from './eventstoredb-append.js';
import { closedLog, neverYet, type OnTrouble, TIMING, type Timing } from './eventstoredb-calls.js';
import { storeClient } from './eventstoredb-client.js';
import { connectionStringFrom } from './eventstoredb-connection-string.js';
import { type StoreContext } from './eventstoredb-context.js';
import { whyNotOpen } from './eventstoredb-opening.js';
import { shareOf } from './eventstoredb-position.js';
import { logEnd, readAll } from './eventstoredb-read-all.js';
import { readStream } from './eventstoredb-read-stream.js';
import { names } from './eventstoredb-recorded.js';
import { subscribe } from './eventstoredb-subscription.js';

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
  readonly onTrouble?: OnTrouble;
  readonly timing?: Partial<Timing>;
}

const MAX_APPEND_BYTES = 1024 * 1024;

/** The log in EventStoreDB 22.6 or newer. Rejects with what the server says, or why it cannot be asked. */
export async function eventStoreDbLog(options: EventStoreDbOptions): Promise<EventStoreDbLog> {
  const { prefix, maxAppendBytes = MAX_APPEND_BYTES } = options;
  const connection = connectionStringFrom(options.connectionString);
  const { onTrouble, lastTrouble } = remembering(options.onTrouble);
  const { client, close: hangUp } = storeClient(connection, (error) => {
    onTrouble(error, 0);
  });
  const closing = new AbortController();
  // One for each reading that is under way.
  setMaxListeners(0, closing.signal);
  const context: StoreContext = {
    client,
    names: names(prefix),
    prefix,
    timing: { ...TIMING, ...options.timing },
    onTrouble,
    closing: closing.signal,
    surrender: neverYet(),
  };
  const end = logEnd(context);
  const underWay = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    await Promise.allSettled(underWay);
    closing.abort();
    await hangUp();
  };

  try {
    await end();
  } catch (error) {
    await close();
    throw await whyNotOpen(error, lastTrouble(), connection);
  }
  return {
    append: async (stream, expected, events, metadata) => {
      if (closed !== undefined) throw closedLog();
      const appending = append(context, readyAppend(stream, expected, events, metadata, maxAppendBytes));
      underWay.add(appending);
      return appending.finally(() => underWay.delete(appending));
    },
    read: (stream) => readStream(context, stream),
    readAll: (after, types, signal) => readAll(context, after, types, signal),
    subscribe: (after, types, signal) => subscribe(context, end, after, types, signal),
    end,
    share: shareOf,
    close: () => (closed ??= close()),
  };
}

function remembering(told: OnTrouble = () => undefined): { onTrouble: OnTrouble; lastTrouble: () => unknown } {
  let last: unknown;
  return {
    onTrouble: (error, pauseMs) => {
      last = error;
      told(error, pauseMs);
    },
    lastTrouble: () => last,
  };
}
