import { storable } from '../../../shared/well-formed-text.js';
import { type ReadModelFile } from '../file.js';

/** Keys of entries are stored once, by a number. */
export interface KeyNumbers {
  readonly numberOf: (key: string) => number;
  /** After a transaction that failed. */
  readonly forget: () => void;
}

export function keyNumbers(file: ReadModelFile): KeyNumbers {
  const known = new Map<string, number>();
  return {
    numberOf: (key) => {
      const number = known.get(key);
      if (number !== undefined) return number;
      file.sql('INSERT INTO keys (key) VALUES (?) ON CONFLICT DO NOTHING').run(storable(key));
      const stored = file.sql('SELECT number FROM keys WHERE key = ?').get(storable(key));
      const added = Number(stored?.['number']);
      known.set(key, added);
      return added;
    },
    forget: () => {
      known.clear();
    },
  };
}
