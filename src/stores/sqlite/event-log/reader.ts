import { setImmediate } from 'node:timers/promises';
import { type MessagePort } from 'node:worker_threads';
import {
  type Batch,
  type EventReader,
  type Position,
  type Recorded,
  UnreadableEvent,
} from '../../../core/event-log.js';
import { Problem } from '../../../core/problem.js';
import { type LogNotifications, logNotifications } from '../../shared/log-notifications.js';
import { type Database, type SqlRow } from '../connection.js';
import { COLUMNS, recorded, type Row } from './event-row.js';
import { logPath, openLogForReading, telling } from './file.js';
import { paced, type Unhurried } from './pace.js';
import { streamReader } from './stream.js';

export interface SqliteLogReader extends EventReader {
  /** Readings that still go on fail from now on. */
  readonly close: () => void;
}

/** What a page looks at, at most: so much that a thread can parse it between two of its other duties. */
const PAGE_EVENTS = 500;
const PAGE_BYTES = 2 * 1024 * 1024;

const POSITION = /^[0-7][0-9a-f]{15}$/;

export interface PacedLogReader extends SqliteLogReader {
  /** Ends a pause. */
  readonly goOn: () => void;
}

/** The log as seen from another thread than the one that opened it; `notices` is a port of its `notices()`. */
export function sqliteLogReader(directory: string, notices: MessagePort, unhurried: Unhurried): PacedLogReader {
  const notifications = logNotifications();
  const reader = logReader(directory, notifications);
  const { told, goOn } = paced(notifications.publish, unhurried);
  notices.on('message', told);
  // A port that only listens is no reason for a thread to go on.
  notices.unref();
  return {
    ...reader,
    goOn,
    close: () => {
      notices.close();
      reader.close();
    },
  };
}

/** Reads on the caller's thread, over a connection of its own. */
export function logReader(directory: string, notifications: LogNotifications): SqliteLogReader {
  const path = logPath(directory);
  const database = openLogForReading(directory);
  const page = pages(database, path);
  const at = database.prepare('SELECT id FROM events WHERE position = ?');
  const last = database.prepare(`SELECT ${COLUMNS} FROM events ORDER BY events.position DESC LIMIT 1`);

  async function* readAll(after: Position | null, leftOut: readonly string[], signal?: AbortSignal) {
    const isOver = (): boolean => signal?.aborted === true;
    let from = after;
    while (!isOver()) {
      const found = telling(path, () => page(from, leftOut));
      if (found === undefined) return;
      const { events, last, fault } = found;
      if (last !== null) yield { events, ...last };
      if (fault !== null && !isOver()) throw fault;
      // Long readings leave room for all else that the thread has to do.
      await setImmediate();
      from = last?.position ?? from;
    }
  }

  async function* subscribe(after: Position | null, leftOut: readonly string[], signal: AbortSignal) {
    let position = after;
    while (!signal.aborted) {
      for await (const batch of readAll(position, leftOut, signal)) {
        position = batch.position;
        yield batch;
        // Not a look that would find nothing, or the one event that has come since.
        if (notifications.isReached(position)) break;
      }
      await notifications.waitBeyond(position, signal);
    }
  }

  return {
    ...streamReader(database, path),
    readAll,
    subscribe,
    end: async () => Promise.resolve(telling(path, () => last.get() as Row | undefined)?.position ?? null),
    eventAt: async (position) =>
      Promise.resolve(telling(path, () => at.get(numberOf(position)) as Pick<Row, 'id'> | undefined)?.id ?? null),
    fractionAt: (position, end) => Number.parseInt(position, 16) / Number.parseInt(end, 16),
    close: database.close.bind(database),
  };
}

/** A stretch of the log up to a position, or up to the last event before one that cannot be read. */
interface Page {
  readonly events: readonly Recorded[];
  /** Null when there is nothing before the fault. */
  readonly last: Pick<Batch, 'position' | 'event'> | null;
  readonly fault: UnreadableEvent | null;
}

/** Undefined at the end of the log. Rows left out are counted, but neither transferred nor parsed. */
function pages(
  database: Database,
  path: string,
): (after: Position | null, leftOut: readonly string[]) => Page | undefined {
  const reach = database.prepare(`
    SELECT printf('%016x', position) AS position, id AS event FROM (
      SELECT position, id, sum(size) OVER (ORDER BY position) - size AS before FROM (
        SELECT position, id, octet_length(data) + octet_length(metadata) AS size FROM events
        WHERE position > ? ORDER BY position LIMIT ${PAGE_EVENTS}
      )
    ) AS page WHERE before < ${PAGE_BYTES} ORDER BY page.position DESC LIMIT 1`);
  const stretch = database.prepare(`
    SELECT ${COLUMNS} FROM events
    WHERE events.position > ? AND events.position <= ? AND type NOT IN (SELECT value FROM json_each(?))
    ORDER BY events.position`);

  return (after, leftOut) => {
    const from = numberOf(after);
    const last = reach.get(from) as Pick<Batch, 'position' | 'event'> | undefined;
    if (last === undefined) return undefined;
    const to = numberOf(last.position);
    return pageOf(path, stretch.all(from, to, JSON.stringify(leftOut)), last);
  };
}

function numberOf(position: Position | null): bigint {
  if (position === null) return -1n;
  if (!POSITION.test(position)) throw new Problem('invalid', `Not a position of this log: ${position}`);
  return BigInt(`0x${position}`);
}

function pageOf(path: string, rows: readonly SqlRow[], { position, event }: NonNullable<Page['last']>): Page {
  const events: Recorded[] = [];
  try {
    for (const row of rows) events.push(recorded(path, row));
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    const before = events.at(-1);
    return {
      events,
      last: before === undefined ? null : { position: before.position, event: before.id },
      fault: error,
    };
  }
  return { events, last: { position, event }, fault: null };
}
