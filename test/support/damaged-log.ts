/** Events in a log on SQLite that no service has written, or not so: put there over a connection of its own. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Revision, type StreamName } from '../../src/core/event-log.js';
import { openDatabase, type SqlValue } from '../../src/stores/sqlite/connection.js';

export interface Texts {
  readonly data?: string;
  readonly metadata?: string;
  readonly checksum?: number;
}

/** No JSON: its end is missing. */
export const HALF = '{"text": "top secret, and the ';

/** At the end of the stream. Nobody is told. */
export function plantEvent(directory: string, stream: StreamName, type: string, texts: Texts): void {
  const { data = '{}', metadata = '{}', checksum = null } = texts;
  run(
    directory,
    `INSERT INTO events (stream, revision, id, type, data, metadata, checksum)
     SELECT ?, coalesce(max(revision), -1) + 1, ?, ?, ?, ?, ? FROM events WHERE stream = ?`,
    [stream, randomUUID(), type, data, metadata, checksum, stream],
  );
}

/** Or mends it, with data as it should be. Without a checksum, as a release wrote it that made none. */
export function damageEvent(directory: string, stream: StreamName, revision: Revision, data = HALF): void {
  run(directory, 'UPDATE events SET data = ?, checksum = NULL WHERE stream = ? AND revision = ?', [
    data,
    stream,
    revision,
  ]);
}

/** Leaves the checksum as it was written. */
export function overwriteEvent(
  directory: string,
  at: { readonly stream: StreamName; readonly revision: Revision },
  part: 'stream' | 'type',
  text: string,
): void {
  run(directory, `UPDATE events SET ${part} = ? WHERE stream = ? AND revision = ?`, [text, at.stream, at.revision]);
}

function run(directory: string, sql: string, values: readonly SqlValue[]): void {
  const database = openDatabase(join(directory, 'log.sqlite'));
  const { changes } = database.prepare(sql).run(...values);
  database.close();
  if (Number(changes) !== 1) throw new Error(`Not one event, but ${changes}`);
}
