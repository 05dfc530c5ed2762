/** Makes an error of a damaged file one that names what is damaged, and what an operator does. */
import { isDamage, type Statement } from './connection.js';

/** Does the work. */
export type Reporting = <T>(work: () => T) => T;

/** A text that is no JSON is damage, too: what is stored as JSON was written as JSON. */
export function reportingDamage(named: (cause: unknown) => Error): Reporting {
  return (work) => {
    try {
      return work();
    } catch (error) {
      throw isDamage(error) || error instanceof SyntaxError ? named(error) : error;
    }
  };
}

export function reportedStatement(reported: Reporting, statement: Statement): Statement {
  return {
    run: (...values) => reported(() => statement.run(...values)),
    get: (...values) => reported(() => statement.get(...values)),
    all: (...values) => reported(() => statement.all(...values)),
    iterate: function* (...values) {
      try {
        yield* statement.iterate(...values);
      } catch (error) {
        reported(() => {
          throw error;
        });
      }
    },
    setReadBigInts: (enabled) => {
      statement.setReadBigInts(enabled);
    },
  };
}
