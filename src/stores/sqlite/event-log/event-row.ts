/** The rows of the log's table, and the events in them. */
import { type Position, type Recorded, type StreamName, UnreadableEvent } from '../../../core/event-log.js';
import { recordedAt } from '../../shared/event-json.js';
import { type SqlRow } from '../connection.js';
import { checksumOf, type StoredEvent } from './event-checksum.js';
import { REMEDY } from './file.js';

export const PLACED = `printf('%016x', position) AS position, stream, revision, id, type`;
/** A release before checksums wrote the event, and all events before it. */
const IS_UNCHECKED = `checksum IS NULL AND NOT EXISTS (
  SELECT 1 FROM events AS before WHERE before.position = events.position - 1 AND before.checksum IS NOT NULL)`;
export const COLUMNS = `${PLACED}, data, metadata, checksum, ${IS_UNCHECKED} AS isUnchecked`;

export interface Row extends StoredEvent {
  readonly position: Position;
  readonly stream: StreamName;
  readonly checksum: number | null;
  readonly isUnchecked: number;
}

export function recorded(path: string, row: SqlRow): Recorded {
  const event = row as unknown as Row;
  if (event.isUnchecked !== 1 && event.checksum !== checksumOf(event)) {
    throw new UnreadableEvent(event, `its checksum is wrong, ${path} is damaged; ${REMEDY}`, true);
  }
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
