import { setImmediate } from 'node:timers/promises';
import { type MessagePort } from 'node:worker_threads';
import {
  type Batch,
  type Event,
  type EventReader,
  type Metadata,
  NO_STREAM,
  type Position,
  type Recorded,
  type StreamName,
  type StreamRead,
} from '../core/event-log.js';
import { Problem } from '../core/problem.js';
import { type LogNews, logNews } from './log-news.js';
import { type Database, type SqlRow } from './sqlite.js';
import { openLogForReading } from './sqlite-log-file.js';

export interface SqliteLogReader extends EventReader {
  /** Readings that still go on fail from now on. */
  readonly close: () => void;
}

/** What a page looks at, at most: so much that a thread can parse it between two of its other duties. */
const PAGE_EVENTS = 500;
const PAGE_BYTES = 2 * 1024 * 1024;

const POSITION = /^[0-7][0-9a-f]{15}$/;

const COLUMNS = `printf('%016x', position) AS position, stream, revision, id, type, data, metadata`;

interface Row {
  readonly position: Position;
  readonly stream: StreamName;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** The log as seen from another thread than the one that opened it; `notices` is a port of its `notices()`. */
export function sqliteLogReader(directory: string, notices: MessagePort): SqliteLogReader {
  const news = logNews();
  const reader = logReader(directory, news);
  notices.on('message', (end: Position) => {
    news.tell(end);
  });
  // A port that only listens is no reason for a thread to go on.
  notices.unref();
  return {
    ...reader,
    close: () => {
      notices.close();
      reader.close();
    },
  };
}

/** Reads on the caller's thread, over a connection of its own. */
export function logReader(directory: string, news: LogNews): SqliteLogReader {
  const database = openLogForReading(directory);
  const page = pages(database);
  const stream = database.prepare(`SELECT ${COLUMNS} FROM events WHERE stream = ? ORDER BY revision`);
  const last = database.prepare(`SELECT ${COLUMNS} FROM events ORDER BY events.position DESC LIMIT 1`);

  async function* readAll(after: Position | null, types: readonly string[], signal?: AbortSignal) {
    let batch = signal?.aborted === true ? undefined : page(after, types);
    while (batch !== undefined) {
      yield batch;
      // Long readings leave room for whatever else the thread has to do.
      await setImmediate();
      batch = signal?.aborted === true ? undefined : page(batch.position, types);
    }
  }

  async function* subscribe(after: Position | null, types: readonly string[], signal: AbortSignal) {
    let position = after;
    while (!signal.aborted) {
      for await (const batch of readAll(position, types, signal)) {
        position = batch.position;
        yield batch;
      }
      await news.beyond(position, signal);
    }
  }

  return {
    read: async <E extends Event>(name: StreamName) => Promise.resolve(streamRead<E>(stream.all(name))),
    readAll,
    subscribe,
    end: async () => Promise.resolve((last.get() as Row | undefined)?.position ?? null),
    share: (position, end) => Number.parseInt(position, 16) / Number.parseInt(end, 16),
    close: () => {
      database.close();
    },
  };
}

function streamRead<E extends Event>(rows: readonly SqlRow[]): StreamRead<E> {
  const events = rows.map((row) => recorded(row) as Recorded<E>);
  return { events, revision: events.at(-1)?.revision ?? NO_STREAM };
}

/** One stretch of the log, or undefined at its end. Unwanted rows are counted, but neither transferred nor parsed. */
function pages(database: Database): (after: Position | null, types: readonly string[]) => Batch | undefined {
  const reach = database.prepare(`
    SELECT printf('%016x', position) AS position FROM (
      SELECT position, sum(size) OVER (ORDER BY position) - size AS before FROM (
        SELECT position, octet_length(data) + octet_length(metadata) AS size FROM events
        WHERE position > ? ORDER BY position LIMIT ${PAGE_EVENTS}
      )
    ) AS page WHERE before < ${PAGE_BYTES} ORDER BY page.position DESC LIMIT 1`);
  const stretch = `SELECT ${COLUMNS} FROM events WHERE events.position > ? AND events.position <= ?`;
  const all = database.prepare(`${stretch} ORDER BY events.position`);
  const wanted = database.prepare(`${stretch} AND type IN (SELECT value FROM json_each(?)) ORDER BY events.position`);

  return (after, types) => {
    const from = numberOf(after);
    const position = (reach.get(from) as Pick<Row, 'position'> | undefined)?.position;
    if (position === undefined) return undefined;
    const to = numberOf(position);
    const rows = types.length === 0 ? all.all(from, to) : wanted.all(from, to, JSON.stringify(types));
    return { events: rows.map(recorded), position };
  };
}

function numberOf(position: Position | null): bigint {
  if (position === null) return -1n;
  if (!POSITION.test(position)) throw new Problem('invalid', `Not a position of this log: ${position}`);
  return BigInt(`0x${position}`);
}

function recorded(row: SqlRow): Recorded {
  const { position, stream, revision, id, type, data, metadata } = row as unknown as Row;
  return {
    id,
    type,
    stream,
    revision,
    position,
    data: objectIn(data, position),
    metadata: objectIn(metadata, position) as Metadata,
  };
}

function objectIn(json: string, position: Position): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw new Error(`The event at position ${position} of the log is not valid JSON`, { cause });
  }
  throw new Error(`The event at position ${position} of the log is not a JSON object`);
}
