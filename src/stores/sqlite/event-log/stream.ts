/** The events of one stream. */
import { READ_BYTES } from '../../../core/bounds.js';
import { othersTurn } from '../../../core/concurrency/others-turn.js';
import {
  NO_STREAM,
  type Event,
  type EventHeader,
  type EventReader,
  type Recorded,
  type Revision,
  type StreamName,
  type StreamPart,
} from '../../../core/event-log.js';
import { firstSlice } from '../../shared/read-slices.js';
import { type Database, type SqlRow } from '../connection.js';
import { COLUMNS, PLACED, recorded } from './event-row.js';
import { REMEDY, telling } from './file.js';

/** From a revision on to another one, both of them read; the second before the first where the step is back. */
interface Range {
  readonly start: Revision;
  readonly stop: Revision;
  readonly step: 1 | -1;
}

/** A long stream is read in slices. What is appended meanwhile does not belong to it. */
export function streamReader(database: Database, path: string): Pick<EventReader, 'read' | 'places'> {
  const rows = `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision`;
  const [forwards, backwards] = [database.prepare(rows), database.prepare(`${rows} DESC`)];
  const placed = database.prepare(
    `SELECT ${PLACED} FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?`,
  );
  const last = database.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?');
  const rangeOf = (stream: StreamName, part: StreamPart): Range => {
    if ('to' in part) return { start: part.from, stop: part.to, step: 1 };
    const start = telling(path, () => Number(last.get(stream)?.['revision'] ?? NO_STREAM));
    return { start, stop: Math.max(part.from ?? 0, start + 1 - part.last), step: -1 };
  };
  const sliceOf = <E extends Event>(stream: StreamName, { start, stop, step }: Range) =>
    telling(path, () => {
      const found = step === 1 ? forwards.iterate(stream, start, stop) : backwards.iterate(stream, stop, start);
      const { slice, size } = firstSlice(found, sizeOf);
      return { events: eventsIn<E>(path, stream, { start, step }, slice), size };
    });

  return {
    read: async <E extends Event>(stream: StreamName, part?: StreamPart) => {
      const { start, stop, step } = rangeOf(stream, part ?? { last: Infinity });
      const most = part === undefined ? Infinity : READ_BYTES;
      const count = (stop - start) * step + 1;
      const events: Recorded<E>[] = [];
      for (let size = 0; events.length < count && size < most;) {
        if (events.length > 0) await othersTurn();
        const slice = sliceOf<E>(stream, { start: start + step * events.length, stop, step });
        events.push(...slice.events);
        size += slice.size;
      }
      if (step === -1) return { events: events.reverse(), revision: start };
      return { events, revision: start + events.length - 1 };
    },
    places: async (stream, after, most) =>
      Promise.resolve(
        telling(path, () => placed.all(stream, after, most)) as readonly unknown[] as readonly EventHeader[],
      ),
  };
}

const sizeOf = ({ data, metadata }: SqlRow): number => String(data).length + String(metadata).length;

function eventsIn<E extends Event>(
  path: string,
  stream: StreamName,
  { start, step }: Pick<Range, 'start' | 'step'>,
  rows: readonly SqlRow[],
): readonly Recorded<E>[] {
  const lacks = (revision: Revision): Error => new Error(`${path} lacks revision ${revision} of ${stream}; ${REMEDY}`);
  if (rows.length === 0) throw lacks(start);
  return rows.map((row, index) => {
    const expected = start + step * index;
    if (row['revision'] === expected) return recorded(path, row) as Recorded<E>;
    throw lacks(expected);
  });
}
