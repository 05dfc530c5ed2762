/** @photostructure/sqlite binds fractions that are less than an epsilon above a whole number as whole numbers. */
import { type Database, type SqlValue, type Statement } from './connection.js';

/** All such fractions lie between -1 and 1. Times this they are bound as they are, and SQL divides without rounding. */
const FACTOR = 2 ** 1022;

const isRounded = (value: SqlValue | undefined): value is number =>
  typeof value === 'number' && !Number.isInteger(value) && value - Math.floor(value) < Number.EPSILON;

/** A statement that takes every number as it is. */
export function exactStatement(database: Database, sql: string): Statement {
  const plain = database.prepare(sql);
  // An iterator of the package does not hold its statement.
  let dividing = plain;
  let isOfBigInts = false;
  const bound = (values: SqlValue[]): readonly [Statement, SqlValue[]] => {
    if (!values.some(isRounded)) return [plain, values];
    dividing = database.prepare(divided(sql, values));
    if (isOfBigInts) dividing.setReadBigInts(true);
    return [dividing, [...values.map((value) => (isRounded(value) ? value * FACTOR : value)), FACTOR]];
  };
  return {
    run: (...given) => {
      const [statement, values] = bound(given);
      return statement.run(...values);
    },
    get: (...given) => {
      const [statement, values] = bound(given);
      return statement.get(...values);
    },
    all: (...given) => {
      const [statement, values] = bound(given);
      return statement.all(...values);
    },
    iterate: (...given) => {
      const [statement, values] = bound(given);
      return statement.iterate(...values);
    },
    setReadBigInts: (enabled) => {
      isOfBigInts = enabled;
      plain.setReadBigInts(enabled);
    },
  };
}

/** The factor is the last value. */
function divided(sql: string, values: readonly SqlValue[]): string {
  let marks = 0;
  return sql.replaceAll(/\?(\d*)/g, (_, digits: string) => {
    const nth = digits === '' ? (marks += 1) : Number(digits);
    return isRounded(values[nth - 1]) ? `(?${nth} / ?${values.length + 1})` : `?${nth}`;
  });
}
