import { type SqlValue } from '../../connection.js';
import { type ReadModelFile } from '../file.js';

/** A piece of SQL and the values of its question marks. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

export function number(file: ReadModelFile, { text, values }: Sql): number {
  return Number(file.sql(text).get(...values)?.['n'] ?? 0);
}

/** Conditions in parentheses, at least one. */
export function joined(all: readonly Sql[], operator: 'AND' | 'OR'): Sql {
  return {
    text: `(${all.map(({ text }) => text).join(` ${operator} `)})`,
    values: all.flatMap(({ values }) => values),
  };
}
