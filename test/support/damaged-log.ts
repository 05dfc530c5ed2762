/** Events in a log on SQLite that no service has written, or not so: put there over a connection of its own. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Revision, type StreamName } from '../../src/core/event-log.js';
import { type Database, openDatabase } from '../../src/stores/sqlite/connection.js';
import { checksumOf } from '../../src/stores/sqlite/event-log/event-checksum.js';

export interface Texts {
  readonly data?: string;
  readonly metadata?: string;
  readonly checksum?: number;
}

/** No JSON: its end is missing. */
export const HALF = '{"text": "top secret, and the ';

/** At the end of the stream, with its right checksum unless another one is given. Nobody is told. */
export function plantEvent(directory: string, stream: StreamName, type: string, texts: Texts): void {
  const { data = '{}', metadata = '{}' } = texts;
  opened(directory, (database) => {
    const last = database.prepare('SELECT max(revision) AS last FROM events WHERE stream = ?').get(stream)?.['last'];
    const event = { stream, revision: Number(last ?? -1) + 1, id: randomUUID(), type, data, metadata };
    return database
      .prepare('INSERT INTO events (stream, revision, id, type, data, metadata, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(stream, event.revision, event.id, type, data, metadata, texts.checksum ?? checksumOf(event)).changes;
  });
}

/** Or mends it, with data as it should be. The checksum is that of these data. */
export function damageEvent(directory: string, stream: StreamName, revision: Revision, data = HALF): void {
  opened(directory, (database) => {
    const place = [stream, revision];
    const row = database
      .prepare('SELECT id, type, metadata FROM events WHERE stream = ? AND revision = ?')
      .get(...place);
    const { id, type, metadata } = row as unknown as Readonly<Record<'id' | 'type' | 'metadata', string>>;
    const checksum = checksumOf({ stream, revision, id, type, data, metadata });
    return database
      .prepare('UPDATE events SET data = ?, checksum = ? WHERE stream = ? AND revision = ?')
      .run(data, checksum, ...place).changes;
  });
}

/** Leaves the checksum as it was written. */
export function overwriteEvent(
  directory: string,
  at: { readonly stream: StreamName; readonly revision: Revision },
  part: 'stream' | 'type',
  text: string,
): void {
  opened(
    directory,
    (database) =>
      database
        .prepare(`UPDATE events SET ${part} = ? WHERE stream = ? AND revision = ?`)
        .run(text, at.stream, at.revision).changes,
  );
}

function opened(directory: string, changed: (database: Database) => number | bigint): void {
  const database = openDatabase(join(directory, 'log.sqlite'));
  const changes = changed(database);
  database.close();
  if (Number(changes) !== 1) throw new Error(`Not one event, but ${changes}`);
}
