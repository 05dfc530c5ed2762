import { storable, type Value } from '../../../shared/well-formed-text.js';
import { type Sql } from './sql.js';

/** Past this number, values travel as one JSON text. */
const MOST_MARKS = 64;

/** As they are stored, each once. */
export const distinctOf = (given: readonly Value[]): readonly Value[] => [...new Set(given.map(storable))];

/** One value per row, in `column1`. A value may be repeated. */
export function rowsOf(values: readonly Value[]): Sql {
  if (values.length > MOST_MARKS) return joinedRows(values);
  const { text, values: padded } = marks(values);
  return { text: `VALUES ${text.slice(1, -1).replaceAll('?', '(?)')}`, values: padded };
}

/** `(?, ?)`, padded so that lists of about the same length share a statement. JSON would round some fractions. */
export function list(values: readonly Value[]): Sql {
  if (values.length <= MOST_MARKS) return marks(values);
  const { text, values: all } = joinedRows(values);
  return { text: `(${text})`, values: all };
}

function joinedRows(values: readonly Value[]): Sql {
  const exact = values.filter((value) => typeof value === 'string' || Number.isSafeInteger(value));
  const others = marks(values.filter((value) => typeof value === 'number' && !Number.isSafeInteger(value)));
  // Of SELECTs SQLite joins 500 at most.
  const rows = others.values.map(() => '(?)').join(', ');
  const and = rows === '' ? '' : ` UNION ALL VALUES ${rows}`;
  return { text: `SELECT value AS column1 FROM json_each(?)${and}`, values: [JSON.stringify(exact), ...others.values] };
}

function marks(values: readonly Value[]): Sql {
  const last = values.at(-1);
  if (last === undefined) return { text: '()', values: [] };
  const length = 2 ** Math.ceil(Math.log2(values.length));
  const padded = [...values, ...Array<Value>(length - values.length).fill(last)];
  return { text: `(${padded.map(() => '?').join(', ')})`, values: padded };
}
