import { setImmediate } from 'node:timers/promises';
import { type MessagePort } from 'node:worker_threads';
import {
  type Event,
  type EventReader,
  NO_STREAM,
  type Position,
  type Recorded,
  type StreamName,
  type StreamRead,
  UnreadableEvent,
} from '../core/event-log.js';
import { Problem } from '../core/problem.js';
import { recordedAt } from './event-json.js';
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
    const isOver = (): boolean => signal?.aborted === true;
    let from = after;
    while (!isOver()) {
      const found = page(from, types);
      if (found === undefined) return;
      const { events, position, fault } = found;
      if (position !== null && position !== from) yield { events, position };
      if (fault !== null && !isOver()) throw fault;
      // Long readings leave room for whatever else the thread has to do.
      await setImmediate();
      from = position;
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

/** A stretch of the log up to a position, or up to the last event before one that cannot be read. */
interface Page {
  readonly events: readonly Recorded[];
  /** The one that it begins after, when there is nothing before the fault. */
  readonly position: Position | null;
  readonly fault: UnreadableEvent | null;
}

/** Undefined at the end of the log. Unwanted rows are counted, but neither transferred nor parsed. */
function pages(database: Database): (after: Position | null, types: readonly string[]) => Page | undefined {
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
    return pageOf(rows, after, position);
  };
}

function numberOf(position: Position | null): bigint {
  if (position === null) return -1n;
  if (!POSITION.test(position)) throw new Problem('invalid', `Not a position of this log: ${position}`);
  return BigInt(`0x${position}`);
}

function pageOf(rows: readonly SqlRow[], after: Position | null, upTo: Position): Page {
  const events: Recorded[] = [];
  try {
    for (const row of rows) events.push(recorded(row));
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    return { events, position: events.at(-1)?.position ?? after, fault: error };
  }
  return { events, position: upTo, fault: null };
}

function recorded(row: SqlRow): Recorded {
  const event = row as unknown as Row;
  return recordedAt(event, parsed(event.data), parsed(event.metadata));
}

/** Undefined for what is no JSON. What parsing says of it is left out: it quotes the text. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
