import { type SqlValue } from '../../connection.js';
import { type ReadModelFile } from '../file.js';

/** Some rows of a table that follow each other. They hold as long as nothing is written. */
export interface RowRange {
  /** Those rows, in their order, to select from. Besides `columns`, those of the index are read. */
  readonly select: (columns: string) => string;
  readonly values: readonly SqlValue[];
  readonly isLast: boolean;
}

/**
 * All rows of a table in ranges, each of which is found when it is asked for. All have `size` rows, but for the last,
 * which may have none. `by`: the columns of an index, which tell the rows apart. A range begins at a place and ends by
 * number: SQLite would read a row whole to compare it with an end.
 */
export function* rangesOf(
  file: ReadModelFile,
  table: string,
  by: readonly string[],
  size: number,
): Generator<RowRange, void, void> {
  const columns = by.join(', ');
  let [begin, values]: [string, readonly SqlValue[]] = ['TRUE', []];
  for (;;) {
    const rest = `FROM ${table} WHERE ${begin} ORDER BY ${columns} LIMIT`;
    const end = file.sql(`SELECT ${columns} ${rest} 1 OFFSET ${size - 1}`);
    // Rows of trigrams have numbers that JavaScript does not have.
    end.setReadBigInts(true);
    const last = end.get(...values);
    yield { select: (of) => `(SELECT ${of} ${rest} ${size})`, values, isLast: last === undefined };
    if (last === undefined) return;
    [begin, values] = [`(${columns}) > (${by.map(() => '?').join(', ')})`, Object.values(last)];
  }
}
