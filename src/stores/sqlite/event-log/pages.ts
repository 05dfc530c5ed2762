/** The whole log in pages. Positions count up from 1 without holes, so a removed event is noticed. */
import {
  type Batch,
  type EventHeader,
  type Position,
  type Recorded,
  UnreadableEvent,
} from '../../../core/event-log.js';
import { Problem } from '../../../core/problem.js';
import { type Database, type SqlRow } from '../connection.js';
import { COLUMNS, PLACED, recorded } from './event-row.js';
import { REMEDY } from './file.js';

/** What a page looks at, at most: so much that a thread can parse it between two of its other duties. */
const PAGE_EVENTS = 500;
const PAGE_BYTES = 2 * 1024 * 1024;

const POSITION = /^[0-7][0-9a-f]{15}$/;

/** A stretch of the log up to a position, or up to the last event before one that cannot be read. */
interface Page {
  readonly events: readonly Recorded[];
  /** Null when there is nothing before the fault. */
  readonly last: Pick<Batch, 'position' | 'event'> | null;
  readonly fault: UnreadableEvent | null;
}

/** The last event of a page, and how many events the page holds. */
interface Reach {
  readonly position: Position;
  readonly event: string;
  readonly count: number;
}

/** Undefined at the end of the log. Rows left out are counted, but neither transferred nor parsed. */
export function pages(
  database: Database,
  path: string,
): (after: Position | null, leftOut: readonly string[]) => Page | undefined {
  const reach = database.prepare(`
    SELECT printf('%016x', position) AS position, id AS event, count FROM (
      SELECT position, id, row_number() OVER (ORDER BY position) AS count,
        sum(size) OVER (ORDER BY position) - size AS before FROM (
        SELECT position, id, octet_length(data) + octet_length(metadata) AS size FROM events
        WHERE position > ? ORDER BY position LIMIT ${PAGE_EVENTS}
      )
    ) AS page WHERE before < ${PAGE_BYTES} ORDER BY page.position DESC LIMIT 1`);
  const stretch = database.prepare(`
    SELECT ${COLUMNS} FROM events
    WHERE events.position > ? AND events.position <= ? AND type NOT IN (SELECT value FROM json_each(?))
    ORDER BY events.position`);

  const afterHole = database.prepare(`
    SELECT ${PLACED} FROM events AS placed
    WHERE position > ? AND position > 1 AND NOT EXISTS (SELECT 1 FROM events WHERE position = placed.position - 1)
    ORDER BY placed.position LIMIT 1`);

  return (after, leftOut) => {
    const from = numberOf(after);
    const last = reach.get(from) as Reach | undefined;
    if (last === undefined) return undefined;
    const rowsUpTo = (to: bigint) => stretch.all(from, to, JSON.stringify(leftOut));
    const to = numberOf(last.position);
    if (to - from === BigInt(last.count)) return pageOf(path, rowsUpTo(to), last);
    const next = afterHole.get(from) as unknown as EventHeader;
    return pageBefore(next, pageOf(path, rowsUpTo(numberOf(next.position) - 1n), last), path);
  };
}

/** 0 before the first position, which is 1. */
export function numberOf(position: Position | null): bigint {
  if (position === null) return 0n;
  if (!POSITION.test(position)) throw new Problem('invalid', `Not a position of this log: ${position}`);
  return BigInt(`0x${position}`);
}

function pageOf(path: string, rows: readonly SqlRow[], { position, event }: Reach): Page {
  const events: Recorded[] = [];
  try {
    for (const row of rows) events.push(recorded(path, row));
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    return endedBy(error, events);
  }
  return { events, last: { position, event }, fault: null };
}

/** The events before a hole, which is reported at the event after it. */
function pageBefore(next: EventHeader, { events, fault }: Page, path: string): Page {
  return endedBy(
    fault ?? new UnreadableEvent(next, `the event before it is missing, ${path} is damaged; ${REMEDY}`, true),
    events,
  );
}

function endedBy(fault: UnreadableEvent, events: readonly Recorded[]): Page {
  const before = events.at(-1);
  return { events, last: before === undefined ? null : { position: before.position, event: before.id }, fault };
}
