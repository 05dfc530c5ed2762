import { setImmediate } from 'node:timers/promises';
import { type Position } from '../../../core/event-log.js';
import { type Kept, type Generation } from '../../../core/projection.js';
import { SLICE_ROWS, SLICE_SIZE } from '../../shared/read-slices.js';
import { type ReadModelFile } from './file.js';
import { tables } from './schema.js';
import { type SqlRow, type SqlValue } from '../connection.js';

/** Each slice is one statement: other work of the thread comes in between. */
export async function* documentSlices(
  file: ReadModelFile,
  generation: Generation,
  model: string,
): AsyncGenerator<readonly Kept[], void> {
  const { documents } = tables(generation, model);
  const select = 'SELECT id, body, position';
  for await (const rows of sizes(file, documents)) {
    for (const { first, count } of parts(rows)) {
      const found = file.sql(`${select} FROM ${documents} WHERE id >= ? ORDER BY id LIMIT ?`).all(first, count);
      yield found.map(keptOf);
      await setImmediate();
    }
  }
}

interface Part {
  readonly first: SqlValue;
  count: number;
  size: number;
}

function parts(rows: readonly SqlRow[]): readonly Part[] {
  const all: Part[] = [];
  for (const { id = null, size } of rows) {
    const last = all.at(-1);
    if (last === undefined || last.size > SLICE_SIZE) all.push({ first: id, count: 1, size: Number(size) });
    else Object.assign(last, { count: last.count + 1, size: last.size + Number(size) });
  }
  return all;
}

function keptOf({ id, body, position }: SqlRow): Kept {
  return { id: id as Kept['id'], body: String(body), position: position as Position };
}

async function* sizes(file: ReadModelFile, documents: string): AsyncGenerator<readonly SqlRow[], void> {
  const select = `SELECT id, octet_length(body) AS size FROM ${documents}`;
  const rest = `ORDER BY id LIMIT ${SLICE_ROWS}`;
  let rows = file.sql(`${select} ${rest}`).all();
  while (rows.length > 0) {
    yield rows;
    await setImmediate();
    rows = file.sql(`${select} WHERE id > ? ${rest}`).all(rows.at(-1)?.['id'] ?? null);
  }
}
