import { type Position, type StreamName } from '../../../core/event-log.js';
import { type Mark } from '../../../core/marks.js';
import { type Generation } from '../../../core/projection.js';
import { type ReadModelFile } from './file.js';
import { type SqlRow } from '../connection.js';

/** Of one generation. */
export function marksIn(file: ReadModelFile, generation: Generation): readonly Mark[] {
  return file.sql('SELECT * FROM marks WHERE run = ? ORDER BY position').all(generation).map(markIn);
}

/** Of the generations that are served. */
export function servedMarks(file: ReadModelFile): Map<Generation, Map<StreamName, Mark>> {
  const generations = file
    .sql("SELECT DISTINCT k.run FROM marks k JOIN runs r ON r.run = k.run WHERE r.state = 'served'")
    .all();
  return new Map(
    generations.map(({ run }) => {
      const marks = marksIn(file, Number(run));
      return [Number(run), new Map(marks.map((mark) => [mark.stream, mark]))];
    }),
  );
}

/** The first mark of a stream counts. */
export function writeMarks(file: ReadModelFile, generation: Generation, marks: readonly Mark[]): void {
  const insert =
    'INSERT INTO marks (run, stream, type, schema, revision, position, reason) VALUES (?, ?, ?, ?, ?, ?, ?)';
  for (const { stream, type, schema, revision, position, reason } of marks) {
    file.sql(`${insert} ON CONFLICT DO NOTHING`).run(generation, stream, type, schema, revision, position, reason);
  }
}

export function removeMarks(file: ReadModelFile, generation: Generation): void {
  file.sql('DELETE FROM marks WHERE run = ?').run(generation);
}

function markIn(row: SqlRow): Mark {
  const { stream, type, schema, revision, position, reason } = row;
  return {
    stream: stream as StreamName,
    type: String(type),
    schema: schema === null ? null : Number(schema),
    revision: Number(revision),
    position: position as Position,
    reason: String(reason),
  };
}
