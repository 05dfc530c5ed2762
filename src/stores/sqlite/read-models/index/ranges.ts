import { type SqlValue } from '../../connection.js';
import { type ReadModelFile } from '../file.js';

/** A condition, with its values, that a stretch of rows fulfils. */
export interface RowRange {
  readonly where: string;
  readonly values: readonly SqlValue[];
  readonly isLast: boolean;
}

/**
 * All rows of a table, `size` at a time, each range as it is asked for. `by`: the columns of an index, which tell the
 * rows apart. The last range may be empty.
 */
export function* rangesOf(
  file: ReadModelFile,
  table: string,
  by: readonly string[],
  size: number,
): Generator<RowRange, void, void> {
  const columns = by.join(', ');
  const marks = by.map(() => '?').join(', ');
  let [begin, after]: [string, readonly SqlValue[]] = ['TRUE', []];
  for (;;) {
    const rest = `WHERE ${begin} ORDER BY ${columns} LIMIT 1 OFFSET ${size - 1}`;
    const last = file.sql(`SELECT ${columns} FROM ${table} ${rest}`).get(...after);
    if (last === undefined) {
      yield { where: begin, values: after, isLast: true };
      return;
    }
    const end = by.map((column) => last[column] ?? null);
    yield { where: `${begin} AND (${columns}) <= (${marks})`, values: [...after, ...end], isLast: false };
    [begin, after] = [`(${columns}) > (${marks})`, end];
  }
}
