import { type Generation } from '../../../core/projection.js';
import { storable, type Value } from '../../shared/well-formed-text.js';
import { type ReadModelFile } from './file.js';
import { tables } from './schema.js';

/** The document as JSON; null for one that is not there. */
export function bodyOf(file: ReadModelFile, generation: Generation, model: string, id: Value): string | null {
  const row = file.sql(`SELECT body FROM ${tables(generation, model).documents} WHERE id = ?`).get(storable(id));
  return row === undefined ? null : String(row['body']);
}
