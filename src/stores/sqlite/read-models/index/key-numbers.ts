import { storable } from '../../../shared/well-formed-text.js';
import { type ReadModelFile } from '../file.js';

/** Keys of entries are stored once, by a number. */
export interface KeyNumbers {
  readonly numberOf: (key: string) => number;
  /** After a transaction that failed. */
  readonly forget: () => void;
}

export function keyNumbers(file: ReadModelFile): KeyNumbers {
  let known = keyLookup(file);
  const added = (key: string): number => {
    file.sql('INSERT INTO keys (key) VALUES (?) ON CONFLICT DO NOTHING').run(storable(key));
    return Number(known(key));
  };
  return {
    numberOf: (key) => known(key) ?? added(key),
    forget: () => {
      known = keyLookup(file);
    },
  };
}

/** The numbers that entries have in place of keys. A number, once given to a key, stays. */
export function keyLookup(file: ReadModelFile): (key: string) => number | undefined {
  const known = new Map<string, number>();
  return (key) => {
    const number = known.get(key);
    if (number !== undefined) return number;
    const row = file.sql('SELECT number FROM keys WHERE key = ?').get(storable(key));
    if (row === undefined) return undefined;
    known.set(key, Number(row['number']));
    return Number(row['number']);
  };
}
