import { setImmediate } from 'node:timers/promises';
import { type MessagePort } from 'node:worker_threads';
import { type EventReader, type Position } from '../../../core/event-log.js';
import { type LogNotifications, logNotifications } from '../../shared/log-notifications.js';
import { COLUMNS, type Row } from './event-row.js';
import { logPath, openLogForReading, telling } from './file.js';
import { paced, type Unhurried } from './pace.js';
import { numberOf, pages } from './pages.js';
import { streamReader } from './stream.js';

export interface SqliteLogReader extends EventReader {
  /** Readings that still go on fail from now on. */
  readonly close: () => void;
}

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
    fractionAt: (position, end) => Math.min(1, Number.parseInt(position, 16) / Number.parseInt(end, 16)),
    close: database.close.bind(database),
  };
}
