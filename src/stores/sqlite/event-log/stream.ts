/** The events of one stream. */
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

const LAST: Revision = Number.MAX_SAFE_INTEGER;

/** A long stream is read in slices. What is appended meanwhile belongs to it. */
export function streamReader(database: Database, path: string): Pick<EventReader, 'read' | 'places'> {
  const within = database.prepare(
    `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision`,
  );
  const placed = database.prepare(
    `SELECT ${PLACED} FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?`,
  );
  const last = database.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?');
  const revisionOf = (stream: StreamName): Revision =>
    telling(path, () => Number(last.get(stream)?.['revision'] ?? NO_STREAM));
  const rangeOf = (stream: StreamName, part: StreamPart): { readonly from: Revision; readonly to?: Revision } =>
    'from' in part ? part : { from: Math.max(0, revisionOf(stream) + 1 - part.last) };
  const sliceOf = <E extends Event>(stream: StreamName, from: Revision, to: Revision) =>
    telling(path, () => {
      const { slice, isCut } = firstSlice(within.iterate(stream, from, to), sizeOf);
      return { events: eventsIn<E>(path, stream, from, slice), isCut };
    });

  return {
    read: async <E extends Event>(stream: StreamName, part: StreamPart = { from: 0 }) => {
      const { from, to = LAST } = rangeOf(stream, part);
      const all: Recorded<E>[] = [];
      for (let isCut = true; isCut;) {
        const slice = sliceOf<E>(stream, from + all.length, to);
        all.push(...slice.events);
        isCut = slice.isCut;
        if (isCut) await othersTurn();
      }
      return { events: all, revision: all.at(-1)?.revision ?? (from === 0 ? NO_STREAM : revisionOf(stream)) };
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
  from: Revision,
  rows: readonly SqlRow[],
): readonly Recorded<E>[] {
  return rows.map((row, index) => {
    const expected = from + index;
    if (row['revision'] === expected) return recorded(path, row) as Recorded<E>;
    throw new Error(`${path} lacks revision ${expected} of ${stream}; ${REMEDY}`);
  });
}
