/** The thread that owns the only connection that writes the log. The requests' thread never waits for the disk. */
import { once } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { type Position } from '../../../core/event-log.js';
import { checksumOf } from './event-checksum.js';
import { type Database, isDamage, isUnwritten, kindOf, rollBack, SQLITE_FULL } from '../connection.js';
import { checkpoints, IN_USE } from './checkpoints.js';
import { logPath, openLogForWriting, REMEDY } from './file.js';
import { type Opening, type Order, type Outcome, type PreparedAppend, type Report } from './writer.js';
import { messageOf } from '../../../core/concurrency/retry.js';

const SQLITE_IOERR = 10;

if (parentPort === null) throw new Error('The log is written in a thread of the service');
const port = parentPort;
const [{ directory }] = (await once(port, 'message')) as [Opening];
const database = openLogForWriting(directory);
const appendOne = appendTo(database);
const { begin, committed } = checkpoints(database, logPath(directory));
const told: MessagePort[] = [];

port.on('message', (order: Order) => {
  switch (order.type) {
    case 'append':
      report(appendGroup(order.appends));
      // Nobody waits for it but the next group.
      committed(order.appends);
      return;
    case 'tell':
      told.push(order.port);
      return;
    case 'close':
      tidy();
      database.close();
      port.close();
  }
});
report({ type: 'ready' });

function report(message: Report): void {
  port.postMessage(message);
  if (message.type !== 'settled' || message.end === null) return;
  for (const listener of told) listener.postMessage(message.end);
}

/** One transaction, hence one sync, for all of them; each is checked by itself. */
function appendGroup(appends: readonly PreparedAppend[]): Report {
  try {
    if (!begin()) return { type: 'refused', passing: true, message: IN_USE };
    database.exec('BEGIN IMMEDIATE');
    const outcomes = appends.map(appendOne);
    commit();
    return { type: 'settled', outcomes, end: outcomes.reduce(later, null) };
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error;
    // If a transaction is still open then, the next group fails with the reason.
    rollBack(database);
    return refusal(error);
  }
}

/** Ends this thread. The write-ahead log may hold the commit: whether it does, the next start finds out. */
class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}

/**
 * Where the disk is full, or does not take a page, the write-ahead log lacks the end of the commit: nothing is stored. After
 * any other error, a complete commit may have reached the file, and would be found by the next start.
 */
function commit(): void {
  try {
    database.exec('COMMIT');
  } catch (error) {
    if (isUnwritten(error)) throw error;
    const message = `A commit to ${logPath(directory)} failed, and may be stored or not: ${messageOf(error)}`;
    throw new UnknownOutcome(message, { cause: error });
  }
}

function later(end: Position | null, outcome: Outcome): Position | null {
  if ('actual' in outcome) return end;
  return end === null || outcome.position > end ? outcome.position : end;
}

/** Leaves everything in the one file, for those who copy it. */
function tidy(): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Without room on the disk: then events stay in the write-ahead log beside the file, as safe as in it.
  }
}

function refusal(error: unknown): Report {
  const text = messageOf(error);
  const kind = kindOf(error);
  if (kind === SQLITE_FULL) {
    return { type: 'refused', passing: true, message: 'The disk of the event log is full: nothing was stored' };
  }
  const passing = kind === SQLITE_IOERR;
  // What passes is told to clients, who need not know where the file is.
  const message = `The event log ${passing ? '' : `${logPath(directory)} `}could not be written, nothing was stored: ${text}`;
  return { type: 'refused', passing, message: isDamage(error) ? `${message}; ${REMEDY}` : message };
}

function appendTo(log: Database): (append: PreparedAppend) => Outcome {
  const head = log.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?');
  const insert = log.prepare(
    'INSERT INTO events (stream, revision, id, type, data, metadata, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const inserted = log.prepare(`SELECT printf('%016x', last_insert_rowid()) AS position`);
  const existing = log.prepare(`
    SELECT id, printf('%016x', position) AS position FROM events
    WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?`);

  return ({ stream, expected, events, metadata }) => {
    const actual = Number(head.get(stream)?.['revision'] ?? -1);
    if (actual !== expected) return alreadyAppended({ stream, expected, events, metadata }) ?? { actual };
    let revision = expected;
    for (const { id, type, data } of events) {
      revision += 1;
      const checksum = checksumOf({ stream, revision, id, type, data, metadata });
      insert.run(stream, revision, id, type, data, metadata, checksum);
    }
    return { revision, position: inserted.get()?.['position'] as Position };
  };

  /** The answer that a repeated append got the first time. */
  function alreadyAppended({ stream, expected, events }: PreparedAppend): Outcome | undefined {
    const rows = existing.all(stream, expected, events.length);
    const repeated = rows.length === events.length && rows.every(({ id }, index) => id === events[index]?.id);
    if (!repeated) return undefined;
    return { revision: expected + events.length, position: rows.at(-1)?.['position'] as Position };
  }
}
