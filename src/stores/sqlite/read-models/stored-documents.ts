/** What is read of documents by id, and the positions in the log that they and their generations reflect. */
import { type Position } from '../../../core/event-log.js';
import { type Generation } from '../../../core/projection.js';
import { type Document } from '../../../core/read-models.js';
import { type ReadModelFile } from './file.js';
import { tables } from './schema.js';
import { storable, type Value } from '../../shared/well-formed-text.js';

/** The document as JSON; null for one that is not there. */
export function bodyOf(file: ReadModelFile, generation: Generation, model: string, id: Value): string | null {
  const row = file.sql(`SELECT body FROM ${tables(generation, model).documents} WHERE id = ?`).get(storable(id));
  return row === undefined ? null : String(row['body']);
}

export function stateOf(
  file: ReadModelFile,
  generation: Generation,
  model: string,
): { documents: number; position: Position | null } {
  const row = file
    .sql('SELECT m.documents, r.position FROM runs r JOIN models m ON m.run = r.run WHERE r.run = ? AND m.model = ?')
    .get(generation, model);
  return { documents: Number(row?.['documents'] ?? 0), position: (row?.['position'] ?? null) as Position | null };
}

/** The generation, then for each document the position of its last change: empty for a document that is not there. */
export function positionsOf(
  file: ReadModelFile,
  generation: Generation,
  model: string,
  ids: readonly Document['id'][],
): string {
  const position = file.sql(`SELECT position FROM ${tables(generation, model).documents} WHERE id = ?`);
  const positions = ids.map((id) => String(position.get(storable(id))?.['position'] ?? ''));
  return [generation, ...positions].join(' ');
}
